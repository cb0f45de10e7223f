// A sealed box: anyone with the public key can close it, only the holder of the private key can open it. The server
// seals a task's secrets for the engine that will run it. Layout: version byte 1, the sender's one-time X25519 public
// key (32 bytes), then AES-256-GCM ciphertext and tag. Key and nonce come from HKDF-SHA-256 over the shared secret,
// salted with both public keys; the one-time key makes the nonce unique.

import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

const version = 1
const publicKeyBytes = 32
const headerBytes = 1 + publicKeyBytes
const tagBytes = 16
const keyBytes = 32
const nonceBytes = 12
const cipher = 'aes-256-gcm'
const info = 'millrace sealed box v1'

export type SealingKeys = { publicKey: string; privateKey: string }

export const newSealingKeys = (): SealingKeys => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return {
    publicKey: rawPublic(publicKey).toString('base64'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

// `context` names the purpose of the box (`task:<id>`); the box cannot be opened with another context.
export const seal = (plain: string, publicKey: string, context: string): string => {
  const recipient = Buffer.from(publicKey, 'base64')
  const oneTime = generateKeyPairSync('x25519')
  const sender = rawPublic(oneTime.publicKey)
  const { key, nonce } = derive(oneTime.privateKey, recipient, sender, recipient)
  const closing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  const sealed = [closing.update(plain, 'utf8'), closing.final()]
  return Buffer.concat([Buffer.from([version]), sender, ...sealed, closing.getAuthTag()]).toString('base64')
}

/** Throws if the keys or the context do not match, or the box was modified. */
export const open = (sealed: string, keys: SealingKeys, context: string): string => {
  const box = Buffer.from(sealed, 'base64')
  if (box[0] !== version || box.length < headerBytes + tagBytes) throw new Error('not a sealed box of a known version')
  const sender = box.subarray(1, headerBytes)
  const mine = createPrivateKey({ key: Buffer.from(keys.privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  const { key, nonce } = derive(mine, sender, sender, Buffer.from(keys.publicKey, 'base64'))
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(box.subarray(-tagBytes))
  return Buffer.concat([opening.update(box.subarray(headerBytes, -tagBytes)), opening.final()]).toString('utf8')
}

const derive = (mine: KeyObject, theirs: Buffer, sender: Buffer, recipient: Buffer): { key: Buffer; nonce: Buffer } => {
  const shared = diffieHellman({ privateKey: mine, publicKey: publicFrom(theirs) })
  const bits = hkdfSync('sha256', shared, Buffer.concat([sender, recipient]), info, keyBytes + nonceBytes)
  return { key: Buffer.from(bits, 0, keyBytes), nonce: Buffer.from(bits, keyBytes) }
}

const publicFrom = (raw: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' })

const rawPublic = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')
