// Upload and download of large files, compared with a bare node:http server that streams to and from the same disk.
// Millrace also checks a signature, hashes, flushes the bytes to disk and writes to its database. Rounds alternate, so
// that other load on the machine affects both.
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { median, show } from './support/load.ts'

const mebibyte = 1024 * 1024
const fileBytes = 256 * mebibyte
const rounds = 7

const chunk = Buffer.alloc(mebibyte, 'millrace ')
function* body(): Generator<Buffer> {
  for (let sent = 0; sent < fileBytes; sent += chunk.length) yield chunk
}

/** Mebibytes per second. */
const timed = async (work: () => Promise<void>): Promise<number> => {
  const started = process.hrtime.bigint()
  await work()
  return fileBytes / mebibyte / (Number(process.hrtime.bigint() - started) / 1e9)
}

const upload = (url: string): Promise<number> =>
  timed(async () => {
    const sending = request(url, { method: 'PUT', agent: false, headers: { 'content-length': fileBytes } })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      sending.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject)
    })
    await pipeline(Readable.from(body()), sending)
    if ((await answered) !== 200) throw new Error(`An upload was answered ${await answered}`)
  })

const download = (url: string): Promise<number> =>
  timed(
    () =>
      new Promise((resolve, reject) => {
        const asking = request(url, { agent: false }, (answer) => {
          let seenBytes = 0
          answer.on('data', (part: Buffer) => {
            seenBytes += part.length
          })
          answer.on('end', () => (seenBytes === fileBytes ? resolve() : reject(new Error(`${seenBytes} bytes came`))))
        })
        asking.on('error', reject).end()
      }),
  )

const server = await startServer({ env: { RATE_LIMIT_UPLOAD: '0', ENGINE: 'false' } })
const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'))
const bare = fork(fileURLToPath(new URL('./support/bare-files.ts', import.meta.url)), [folder])
try {
  const barePort = await new Promise<number>((resolve) => bare.once('message', (port) => resolve(Number(port))))
  const { session_token, team_id } = await signIn(server.dataDir, 'bench@example.com', 'bench')
  const announced = await fetch(`${server.url}/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${session_token}`,
      'x-team-id': team_id,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ files: [{ uri: '', size: fileBytes }] }),
  })
  const { data } = (await announced.json()) as { data: { upload_url: string; uri: string }[] }
  const [file] = data
  if (!file) throw new Error('The file has no record')
  const bareUrl = `http://127.0.0.1:${barePort}/file`

  const rates: Record<string, number[]> = {}
  const measure = async (name: string, work: () => Promise<number>) => {
    rates[name] = [...(rates[name] ?? []), await work()]
  }
  for (let round = -1; round < rounds; round += 1) {
    await measure('upload', () => upload(file.upload_url))
    await measure('bare upload', () => upload(bareUrl))
    await measure('bare upload, flushed', () => upload(`${bareUrl}?sync`))
    await measure('download', () => download(file.uri))
    await measure('bare download', () => download(bareUrl))
    // The first round is a warm-up.
    if (round === -1) for (const name of Object.keys(rates)) rates[name] = []
  }
  for (const [name, list] of Object.entries(rates)) console.log(`${name.padEnd(22)}${show(median(list))} MiB/s`)
  const ratio = (ours: string, theirs: string) =>
    median((rates[ours] ?? []).map((rate, round) => rate / (rates[theirs]?.[round] ?? Number.NaN))).toFixed(2)
  console.log(`upload ratio          ${ratio('upload', 'bare upload')} (aim ≥ 0.7)`)
  console.log(`  against flushed     ${ratio('upload', 'bare upload, flushed')}`)
  console.log(`download ratio        ${ratio('download', 'bare download')} (aim ≥ 0.7)`)
} finally {
  bare.kill()
  await server.remove()
  await rm(folder, { recursive: true, force: true })
}
