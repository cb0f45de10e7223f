// Unacknowledged output of a command on disk, in segments that are removed when they are acknowledged. The newest
// output is cached in memory.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type Stream = 'stdout' | 'stderr'
export type Chunk = { seq: number; stream: Stream; data: Buffer }

type StoredChunk = { seq: number; stream: Stream; segment: Segment; at: number; size: number; data: Buffer | null }
type Segment = { number: number; file: number; size: number; lastSeq: number }

export type Spool = {
  append(stream: Stream, data: Buffer): void
  /** The next chunk after `seq`; undefined if there is none. */
  after(seq: number): Chunk | undefined
  acknowledge(seq: number): void
  lastSeq(): number
  /** The bytes that are not acknowledged. */
  unacknowledgedBytes(): number
  isClosed(): boolean
  /** No more output is accepted. */
  close(): void
}

const segmentBytes = 4 * 1024 * 1024
const memoryBytes = 256 * 1024
/** Sequence number, stream, length. */
const headerBytes = 9

const segmentName = (folder: string, number: number): string => join(folder, `output.${number}`)

const headerOf = (seq: number, stream: Stream, size: number): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(seq, 0)
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 4)
  header.writeUInt32BE(size, 5)
  return header
}

/** The chunks of a segment. A final chunk that a crash cut off was never sent and is skipped. */
const chunksIn = (bytes: Buffer, segment: Segment): StoredChunk[] => {
  const chunks: StoredChunk[] = []
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const size = bytes.readUInt32BE(at + 5)
    if (at + headerBytes + size > bytes.length) break
    const stream = bytes.readUInt8(at + 4) === 1 ? 'stdout' : 'stderr'
    chunks.push({ seq: bytes.readUInt32BE(at), stream, segment, at: at + headerBytes, size, data: null })
    at += headerBytes + size
    segment.size = at
  }
  return chunks
}

export const openSpool = (folder: string): Spool => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const segments: Segment[] = []
  let chunks: StoredChunk[] = []
  let unacknowledged = 0
  let inMemory = 0
  let last = 0
  let closed = false

  const openSegment = (number: number): Segment => {
    const segment = { number, file: openSync(segmentName(folder, number), 'a+', 0o600), size: 0, lastSeq: last }
    segments.push(segment)
    return segment
  }

  const numbers = readdirSync(folder).flatMap((name) => /^output\.(\d+)$/.exec(name)?.[1] ?? [])
  for (const number of numbers.map(Number).sort((a, b) => a - b)) {
    const segment = openSegment(number)
    const found = chunksIn(readFileSync(segmentName(folder, number)), segment)
    chunks.push(...found)
    last = found.at(-1)?.seq ?? last
    segment.lastSeq = last
  }
  unacknowledged = chunks.reduce((sum, { size }) => sum + size, 0)

  const dataOf = ({ data, segment, at, size }: StoredChunk): Buffer => {
    if (data) return data
    const read = Buffer.alloc(size)
    readSync(segment.file, read, 0, size, at)
    return read
  }

  const indexAfter = (seq: number): number => {
    let low = 0
    let high = chunks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((chunks[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  const dropSegment = (segment: Segment): void => {
    closeSync(segment.file)
    rmSync(segmentName(folder, segment.number), { force: true })
    segments.splice(segments.indexOf(segment), 1)
  }

  return {
    append: (stream, data) => {
      if (closed) return
      let segment = segments.at(-1)
      if (!segment || segment.size >= segmentBytes) segment = openSegment((segment?.number ?? 0) + 1)
      last += 1
      writeSync(segment.file, Buffer.concat([headerOf(last, stream, data.length), data]))
      const isCached = inMemory + data.length <= memoryBytes
      if (isCached) inMemory += data.length
      const at = segment.size + headerBytes
      chunks.push({ seq: last, stream, segment, at, size: data.length, data: isCached ? data : null })
      segment.size = at + data.length
      segment.lastSeq = last
      unacknowledged += data.length
    },
    after: (seq) => {
      const chunk = chunks[indexAfter(seq)]
      return chunk && { seq: chunk.seq, stream: chunk.stream, data: dataOf(chunk) }
    },
    acknowledge: (seq) => {
      if (closed) return
      const count = indexAfter(seq)
      for (const { size, data } of chunks.slice(0, count)) {
        unacknowledged -= size
        if (data) inMemory -= size
      }
      chunks = chunks.slice(count)
      for (const segment of [...segments])
        if (segment !== segments.at(-1) && segment.lastSeq <= seq) dropSegment(segment)
    },
    lastSeq: () => last,
    unacknowledgedBytes: () => unacknowledged,
    isClosed: () => closed,
    close: () => {
      closed = true
      for (const { file } of segments) closeSync(file)
    },
  }
}
