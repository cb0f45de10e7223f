// Unacknowledged output of a command on disk, in segments that are removed when they are acknowledged. The newest
// output is cached in memory.
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export type Stream = 'stdout' | 'stderr'
export type Chunk = { seq: number; stream: Stream; data: Buffer }

type Place = { seq: number; stream: Stream; piece: Piece; at: number; size: number; data: Buffer | null }
type Piece = { number: number; file: number; size: number; lastSeq: number }

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

const pieceBytes = 4 * 1024 * 1024
const memoryBytes = 256 * 1024
/** Sequence number, stream, length. */
const headerBytes = 9

const pieceName = (folder: string, number: number): string => join(folder, `output.${number}`)

const headerOf = (seq: number, stream: Stream, size: number): Buffer => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(seq, 0)
  header.writeUInt8(stream === 'stdout' ? 1 : 2, 4)
  header.writeUInt32BE(size, 5)
  return header
}

/** The chunks of a segment. A final chunk that a crash cut off was never sent and is skipped. */
const placesIn = (bytes: Buffer, piece: Piece): Place[] => {
  const places: Place[] = []
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const size = bytes.readUInt32BE(at + 5)
    if (at + headerBytes + size > bytes.length) break
    const stream = bytes.readUInt8(at + 4) === 1 ? 'stdout' : 'stderr'
    places.push({ seq: bytes.readUInt32BE(at), stream, piece, at: at + headerBytes, size, data: null })
    at += headerBytes + size
    piece.size = at
  }
  return places
}

export const openSpool = (folder: string): Spool => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pieces: Piece[] = []
  let places: Place[] = []
  let held = 0
  let inMemory = 0
  let last = 0
  let closed = false

  const openPiece = (number: number): Piece => {
    const piece = { number, file: openSync(pieceName(folder, number), 'a+', 0o600), size: 0, lastSeq: last }
    pieces.push(piece)
    return piece
  }

  const found = readdirSync(folder).flatMap((name) => /^output\.(\d+)$/.exec(name)?.[1] ?? [])
  for (const number of found.map(Number).sort((a, b) => a - b)) {
    const piece = openPiece(number)
    const inside = placesIn(readFileSync(pieceName(folder, number)), piece)
    places.push(...inside)
    last = inside.at(-1)?.seq ?? last
    piece.lastSeq = last
  }
  held = places.reduce((sum, { size }) => sum + size, 0)

  const dataOf = ({ data, piece, at, size }: Place): Buffer => {
    if (data) return data
    const read = Buffer.alloc(size)
    readSync(piece.file, read, 0, size, at)
    return read
  }

  const indexAfter = (seq: number): number => {
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((places[middle]?.seq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  const dropPiece = (piece: Piece): void => {
    closeSync(piece.file)
    rmSync(pieceName(folder, piece.number), { force: true })
    pieces.splice(pieces.indexOf(piece), 1)
  }

  return {
    append: (stream, data) => {
      if (closed) return
      let piece = pieces.at(-1)
      if (!piece || piece.size >= pieceBytes) piece = openPiece((piece?.number ?? 0) + 1)
      last += 1
      writeSync(piece.file, Buffer.concat([headerOf(last, stream, data.length), data]))
      const keep = inMemory + data.length <= memoryBytes
      if (keep) inMemory += data.length
      const at = piece.size + headerBytes
      places.push({ seq: last, stream, piece, at, size: data.length, data: keep ? data : null })
      piece.size = at + data.length
      piece.lastSeq = last
      held += data.length
    },
    after: (seq) => {
      const place = places[indexAfter(seq)]
      return place && { seq: place.seq, stream: place.stream, data: dataOf(place) }
    },
    acknowledge: (seq) => {
      if (closed) return
      const count = indexAfter(seq)
      for (const { size, data } of places.slice(0, count)) {
        held -= size
        if (data) inMemory -= size
      }
      places = places.slice(count)
      for (const piece of [...pieces]) if (piece !== pieces.at(-1) && piece.lastSeq <= seq) dropPiece(piece)
    },
    lastSeq: () => last,
    unacknowledgedBytes: () => held,
    isClosed: () => closed,
    close: () => {
      closed = true
      for (const { file } of pieces) closeSync(file)
    },
  }
}
