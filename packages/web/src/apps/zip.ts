// Reads the files of a zip archive from its central directory. App bundles are small enough to be held in memory.
import { strings } from './strings.ts'

export type ZipEntry = { name: string; size: number; read: () => Promise<Uint8Array<ArrayBuffer>> }

const endMark = 0x06054b50
const entryMark = 0x02014b50
const endBytes = 22
const maxCommentBytes = 65_535
const entryBytes = 46
const localBytes = 30

const stored = 0
const deflated = 8

/** A zip archive that cannot be read; the message is shown to the user. */
export class ZipFault extends Error {}

const endOf = (view: DataView): number => {
  const last = view.byteLength - endBytes
  for (let at = last; at >= Math.max(0, last - maxCommentBytes); at -= 1)
    if (view.getUint32(at, true) === endMark) return at
  throw new ZipFault(strings.code.notZip)
}

/** Limits decompression: a small zip archive may expand to more than fits in memory. Longer texts are not displayed anyway. */
const maxInflatedBytes = 1024 * 1024

const inflate = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value)
    length += next.value.length
    if (length > maxInflatedBytes) {
      await reader.cancel()
      break
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

/** The files in alphabetical order, without folders. */
export const zipEntries = (bytes: Uint8Array<ArrayBuffer>): ZipEntry[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const entries: ZipEntry[] = []
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > end || view.getUint32(at, true) !== entryMark) throw new ZipFault(strings.code.damagedZip)
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + (nameLength ?? 0)))
    const method = view.getUint16(at + 10, true)
    const packed = view.getUint32(at + 20, true)
    const local = view.getUint32(at + 42, true)
    const read = async () => {
      if (method !== stored && method !== deflated) throw new ZipFault(strings.code.unknownCompression(name))
      const from = local + localBytes + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const body = bytes.slice(from, from + packed)
      return method === stored ? body : inflate(body)
    }
    if (!name.endsWith('/')) entries.push({ name, size: view.getUint32(at + 24, true), read })
    at += entryBytes + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}
