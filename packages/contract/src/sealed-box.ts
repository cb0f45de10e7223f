// A sealed box: anyone who knows a public key can close it, only the holder of the private key can open it. The
// server seals a task's secrets to the engine that will run it. Layout: version byte 1, the sender's one-time
// X25519 public key (32 bytes), then AES-256-GCM ciphertext and tag. Key and nonce come from HKDF-SHA-256 over the
// shared secret, salted with both public keys; the one-time key makes the nonce unique.

import { base64ToBytes, bytesToBase64 } from './engine-frames.ts'

const version = 1
const publicKeyBytes = 32
const headerBytes = 1 + publicKeyBytes
const info = new TextEncoder().encode('millrace sealed box v1')

export type SealingKeys = { publicKey: string; privateKey: string }

export const newSealingKeys = async (): Promise<SealingKeys> => {
  const pair = await generatePair()
  const publicKey = await crypto.subtle.exportKey('raw', pair.publicKey)
  const privateKey = await crypto.subtle.exportKey('pkcs8', pair.privateKey)
  return { publicKey: bytesToBase64(new Uint8Array(publicKey)), privateKey: bytesToBase64(new Uint8Array(privateKey)) }
}

// `context` names what the box is for (`task:<id>`); a box moved to another context does not open.
export const seal = async (plain: string, publicKey: string, context: string): Promise<string> => {
  const recipient = base64ToBytes(publicKey)
  const oneTime = await generatePair()
  const sender = new Uint8Array(await crypto.subtle.exportKey('raw', oneTime.publicKey))
  const { key, nonce } = await derive(oneTime.privateKey, await importPublic(recipient), sender, recipient)
  const sealed = await crypto.subtle.encrypt(gcm(nonce, context), key, new TextEncoder().encode(plain))
  const box = new Uint8Array(headerBytes + sealed.byteLength)
  box[0] = version
  box.set(sender, 1)
  box.set(new Uint8Array(sealed), headerBytes)
  return bytesToBase64(box)
}

export const open = async (sealed: string, keys: SealingKeys, context: string): Promise<string> => {
  const box = base64ToBytes(sealed)
  if (box[0] !== version || box.length <= headerBytes) throw new Error('not a sealed box of a known version')
  const sender = box.slice(1, headerBytes)
  const { key, nonce } = await derive(
    await importPrivate(keys.privateKey),
    await importPublic(sender),
    sender,
    base64ToBytes(keys.publicKey),
  )
  const plain = await crypto.subtle.decrypt(gcm(nonce, context), key, box.slice(headerBytes))
  return new TextDecoder().decode(plain)
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

// The types know a pair only for some algorithm names; X25519 gives one too.
const generatePair = async (): Promise<{ publicKey: Key; privateKey: Key }> => {
  const made: object = await crypto.subtle.generateKey({ name: 'X25519' }, true, ['deriveBits'])
  return made as { publicKey: Key; privateKey: Key }
}

const importPublic = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, { name: 'X25519' }, false, [])

const importPrivate = (pkcs8: string) =>
  crypto.subtle.importKey('pkcs8', base64ToBytes(pkcs8), { name: 'X25519' }, false, ['deriveBits'])

const derive = async (mine: Key, theirs: Key, sender: Uint8Array<ArrayBuffer>, recipient: Uint8Array<ArrayBuffer>) => {
  const shared = await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, mine, 256)
  const base = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveBits'])
  const salt = new Uint8Array([...sender, ...recipient])
  const bits = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, base, (32 + 12) * 8),
  )
  const key = await crypto.subtle.importKey('raw', bits.slice(0, 32), 'AES-GCM', false, ['encrypt', 'decrypt'])
  return { key, nonce: bits.slice(32) }
}

const gcm = (nonce: Uint8Array<ArrayBuffer>, context: string) => ({
  name: 'AES-GCM',
  iv: nonce,
  additionalData: new TextEncoder().encode(context),
})
