// Writes zip archives for tests, including invalid ones: entries are written as given, stored or deflated, with any
// name and mode.

import { crc32, deflateRawSync } from 'node:zlib'

export type ZipEntry = { name: string; content: string | Buffer; mode?: number; deflate?: boolean }

export const writeZip = (entries: readonly ZipEntry[]): Buffer => {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, central } = encodeEntry(entry, offset)
    parts.push(local)
    directory.push(central)
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}

const encodeEntry = (entry: ZipEntry, offset: number) => {
  const name = Buffer.from(entry.name)
  const raw = Buffer.from(entry.content)
  const data = entry.deflate ? deflateRawSync(raw) : raw
  const shared = Buffer.alloc(26)
  shared.writeUInt16LE(20, 0)
  shared.writeUInt16LE(0x0800, 2)
  shared.writeUInt16LE(entry.deflate ? 8 : 0, 4)
  shared.writeUInt32LE(crc32(raw), 10)
  shared.writeUInt32LE(data.length, 14)
  shared.writeUInt32LE(raw.length, 18)
  shared.writeUInt16LE(name.length, 22)
  const localSignature = Buffer.from([0x50, 0x4b, 0x03, 0x04])
  const centralStart = Buffer.from([0x50, 0x4b, 0x01, 0x02, 20, 3])
  const centralEnd = Buffer.alloc(14)
  centralEnd.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
  centralEnd.writeUInt32LE(offset, 10)
  return {
    local: Buffer.concat([localSignature, shared, name, data]),
    central: Buffer.concat([centralStart, shared, centralEnd, name]),
  }
}
