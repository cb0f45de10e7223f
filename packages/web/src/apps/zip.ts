// The files of a zip, read by what stands at its end, as the format wants it. Bundles of apps are small: they are held whole.
export type ZipEntry = { name: string; size: number; read: () => Promise<Uint8Array<ArrayBuffer>> }

const endMark = 0x06054b50
const entryMark = 0x02014b50
const endBytes = 22
const mostComment = 65_535
const entryBytes = 46
const localBytes = 30

const stored = 0
const deflated = 8

/** What a browser shows when a zip cannot be read. */
export class ZipFault extends Error {}

const endOf = (view: DataView): number => {
  const last = view.byteLength - endBytes
  for (let at = last; at >= Math.max(0, last - mostComment); at -= 1)
    if (view.getUint32(at, true) === endMark) return at
  throw new ZipFault('This is not a zip, or it was cut off')
}

/** A small zip may unfold into more than a window can hold; who asks for text has enough with this, and sees that it is too long. */
const mostUnfolded = 1024 * 1024

const inflate = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> => {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    pieces.push(next.value)
    length += next.value.length
    if (length > mostUnfolded) {
      await reader.cancel()
      break
    }
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

/** Folders are left out. */
export const zipEntries = (bytes: Uint8Array<ArrayBuffer>): ZipEntry[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  let at = view.getUint32(end + 16, true)
  const entries: ZipEntry[] = []
  for (let index = 0; index < count; index += 1) {
    if (at + entryBytes > end || view.getUint32(at, true) !== entryMark)
      throw new ZipFault('The list of files in this zip is damaged')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const name = new TextDecoder().decode(bytes.subarray(at + entryBytes, at + entryBytes + (nameLength ?? 0)))
    const method = view.getUint16(at + 10, true)
    const packed = view.getUint32(at + 20, true)
    const local = view.getUint32(at + 42, true)
    const read = async () => {
      if (method !== stored && method !== deflated)
        throw new ZipFault(`${name} is packed in a way that is not read here`)
      const from = local + localBytes + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const body = bytes.slice(from, from + packed)
      return method === stored ? body : inflate(body)
    }
    if (!name.endsWith('/')) entries.push({ name, size: view.getUint32(at + 24, true), read })
    at += entryBytes + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
}
