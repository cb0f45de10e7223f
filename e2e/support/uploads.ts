// Uploads and downloads of made-up bytes, never more than a few chunks of them in memory.
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const chunkBytes = 64 * 1024
const zeros = Buffer.alloc(chunkBytes)

/** The same bytes for the same seed, different ones for every other. */
export function* madeUpBytes(seed: string, sizeBytes: number): Generator<Buffer> {
  const key = createHash('sha256').update(seed).digest()
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), key.subarray(16))
  for (let left = sizeBytes; left > 0; left -= chunkBytes)
    yield cipher.update(left < chunkBytes ? zeros.subarray(0, left) : zeros)
}

export const hashOf = (chunks: Iterable<Buffer>): string => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

export type UploadOptions = {
  seed: string
  sizeBytes: number
  /** Breaks the connection after this many bytes. */
  cutAfterBytes?: number
}

/** The status of the answer; null when the connection ended before one came. */
export const upload = async (url: string, options: UploadOptions): Promise<number | null> => {
  const { seed, sizeBytes, cutAfterBytes = Number.POSITIVE_INFINITY } = options
  const sending = request(url, { method: 'PUT', agent: false, headers: { 'content-length': sizeBytes } })
  const answered = new Promise<number | null>((resolve) => {
    sending.on('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? null)
    })
    sending.on('error', () => resolve(null))
    sending.on('close', () => resolve(null))
  })
  await pipeline(Readable.from(cutOff(madeUpBytes(seed, sizeBytes), cutAfterBytes)), sending).catch(() => undefined)
  return answered
}

function* cutOff(chunks: Iterable<Buffer>, afterBytes: number): Generator<Buffer> {
  let sentBytes = 0
  for (const chunk of chunks) {
    if (sentBytes >= afterBytes) throw new Error('cut off')
    sentBytes += chunk.length
    yield chunk
  }
}

export type Downloaded = { status: number; sizeBytes: number; sha256: string; headers: IncomingMessage['headers'] }

export const download = async (url: string, headers: Record<string, string> = {}): Promise<Downloaded> => {
  const asking = request(url, { agent: false, headers })
  asking.end()
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    hash.update(chunk)
    sizeBytes += chunk.length
  }
  return { status: answer.statusCode ?? 0, sizeBytes, sha256: hash.digest('hex'), headers: answer.headers }
}

/** Resident memory of a process, as the kernel counts it. */
export const residentBytes = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

/** Runs `work` and answers the highest resident memory of the process meanwhile. */
export const peakResidentBytes = async (pid: number, work: () => Promise<unknown>): Promise<number> => {
  let peak = 0
  const look = async () => {
    peak = Math.max(peak, await residentBytes(pid))
  }
  const timer = setInterval(() => void look().catch(() => undefined), 25)
  try {
    await work()
    await look()
  } finally {
    clearInterval(timer)
  }
  return peak
}
