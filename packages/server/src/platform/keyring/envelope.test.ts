// Guarantees: an encrypted value can be decrypted only with its key in its place, and no nonce repeats.
import { randomBytes } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import { describe, expect, it } from 'vitest'
import { keyIdOf, newNonce, openWith, sealWith } from './envelope.ts'

const key = randomBytes(32)
const keyId = newId()
const place = 'secret_versions/1/value'
const sealed = sealWith(key, keyId, Buffer.from('a value'), place)

describe('sealed values', () => {
  it('can be decrypted in their place and contain their key id', () => {
    expect(openWith(key, sealed, place)?.toString()).toBe('a value')
    expect(keyIdOf(sealed)).toBe(keyId)
    expect(keyIdOf(sealWith(key, 'short', Buffer.alloc(0), place))).toBe('short')
    expect(sealed.includes('a value')).toBe(false)
  })

  it.each([
    ['another key', () => openWith(randomBytes(32), sealed, place)],
    ['another place', () => openWith(key, sealed, 'secret_versions/2/value')],
    ['no bytes', () => openWith(key, Buffer.alloc(0), place)],
    ['the plain text', () => openWith(key, Buffer.from('a value'), place)],
  ])('do not open with %s', (_what, open) => {
    expect(open()).toBeNull()
  })

  it('cannot be decrypted after any single bit has changed', () => {
    for (let index = 0; index < sealed.length; index++) {
      const damaged = Buffer.from(sealed)
      damaged[index] = (damaged[index] ?? 0) ^ 1
      expect(openWith(key, damaged, place), `byte ${index}`).toBeNull()
    }
  })

  it('cannot be decrypted when truncated', () => {
    for (let length = 0; length < sealed.length; length++)
      expect(openWith(key, sealed.subarray(0, length), place), `${length} bytes`).toBeNull()
  })

  it('a million nonces are distinct', () => {
    // Comparing their first eight bytes is enough, and numbers sort fast.
    const nonces = BigUint64Array.from({ length: 1_000_000 }, () => newNonce().readBigUInt64LE()).sort()
    expect(nonces.findIndex((nonce, index) => nonce === nonces[index - 1])).toBe(-1)
  })

  it('every encryption uses its own nonce', () => {
    const plain = Buffer.from('x')
    const nonces = Array.from({ length: 20_000 }, () =>
      sealWith(key, keyId, plain, place).subarray(27, 39).toString('latin1'),
    )
    expect(new Set(nonces).size).toBe(nonces.length)
  })
})
