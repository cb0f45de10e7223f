// An authenticator app: computes the code of a key at a time.
import { createHmac } from 'node:crypto'

/** RFC 6238, implemented independently of the server. */
export const authenticatorCode = (base32: string, timeMs: number): string => {
  const bits = [...base32]
    .map((digit) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(Math.floor(timeMs / 30_000), 4)
  const mac = createHmac('sha1', key).update(counter).digest()
  const word = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(word % 1_000_000).padStart(6, '0')
}
