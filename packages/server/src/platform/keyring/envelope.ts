// AES-256-GCM in a self-describing format: version, key id, nonce, ciphertext, tag. The associated data binds a
// ciphertext to its row, so that it cannot be decrypted elsewhere.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const version = 1
const keyIdBytes = 26
const nonceBytes = 12
const tagBytes = 16
const headerBytes = 1 + keyIdBytes

/** Random: 96 bits are enough for far more values than a data key encrypts, and no counter must be stored. */
export const newNonce = (): Buffer => randomBytes(nonceBytes)

export const sealWith = (key: Buffer, keyId: string, plain: Buffer, boundTo: string): Buffer => {
  const nonce = newNonce()
  const header = Buffer.concat([Buffer.from([version]), Buffer.from(keyId.padEnd(keyIdBytes, '\0'), 'latin1')])
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.concat([header, Buffer.from(boundTo)]))
  return Buffer.concat([header, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

/** The id of the key that encrypted a value; null if the bytes have another format. */
export const keyIdOf = (sealed: Buffer): string | null =>
  sealed.length >= headerBytes + nonceBytes + tagBytes && sealed[0] === version
    ? sealed.subarray(1, headerBytes).toString('latin1').replace(/\0+$/, '')
    : null

/** Null if the key, the binding or any bit differs. */
export const openWith = (key: Buffer, sealed: Buffer, boundTo: string): Buffer | null => {
  if (keyIdOf(sealed) === null) return null
  const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce)
  decipher.setAAD(Buffer.concat([sealed.subarray(0, headerBytes), Buffer.from(boundTo)]))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(headerBytes + nonceBytes, -tagBytes)), decipher.final()])
  } catch {
    return null
  }
}
