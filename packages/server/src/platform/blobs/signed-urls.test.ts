// Guarantees: an upload URL is valid only for its file, size limit and hour; media names cannot be guessed.
import { randomBytes } from 'node:crypto'
import { newId, shortId } from '@millrace/contract/ids'
import { describe, expect, test } from 'vitest'
import { isBlobKey } from './keys.ts'
import { assertUploadUrl, mediaKey, mediaUrl, type UploadGrant, uploadUrl } from './signed-urls.ts'

const key = Buffer.from('a key of the server, 32 bytes ok')
const expiresAtSeconds = 1_800_000_000
const grant: UploadGrant = { fileId: newId(), maxBytes: 1000, expiresAtSeconds }
const beforeMs = (expiresAtSeconds - 1) * 1000

const issued = () => {
  const url = new URL(uploadUrl('https://millrace.test/', key, grant))
  const { exp, sig } = Object.fromEntries(url.searchParams)
  return { url, presented: { fileId: grant.fileId, maxBytes: grant.maxBytes, exp: exp ?? '', sig: sig ?? '' } }
}

describe('the upload URL', () => {
  test('has the documented format', () => {
    const { url } = issued()
    expect(url.origin + url.pathname).toBe(`https://millrace.test/uploads/${grant.fileId}`)
    expect([...url.searchParams.keys()]).toEqual(['exp', 'sig'])
  })

  test('is accepted unchanged until it expires', () => {
    const { presented } = issued()
    expect(() => assertUploadUrl(key, presented, beforeMs)).not.toThrow()
    expect(() => assertUploadUrl(key, presented, expiresAtSeconds * 1000 - 1)).not.toThrow()
  })

  const flip = (sig: string) => (sig.startsWith('A') ? 'B' : 'A') + sig.slice(1)
  type Presented = { fileId: string; maxBytes: number; exp: unknown; sig: unknown }
  const tampered: [claim: string, change: (presented: ReturnType<typeof issued>['presented']) => Presented][] = [
    ['another file', (p) => ({ ...p, fileId: newId() })],
    ['another size bound', (p) => ({ ...p, maxBytes: p.maxBytes + 1 })],
    ['a later expiry', (p) => ({ ...p, exp: String(expiresAtSeconds + 1) })],
    ['the expiry spelled otherwise', (p) => ({ ...p, exp: `0${p.exp}` })],
    ['the expiry with a fraction', (p) => ({ ...p, exp: `${p.exp}.0` })],
    ['the expiry with an exponent', (p) => ({ ...p, exp: '18e8' })],
    ['a digit moved from expiry to bound', (p) => ({ ...p, maxBytes: 10001, exp: p.exp.slice(1) })],
    ['no expiry', (p) => ({ ...p, exp: undefined })],
    ['two expiries', (p) => ({ ...p, exp: [p.exp, p.exp] })],
    ['a changed signature', (p) => ({ ...p, sig: flip(p.sig) })],
    ['a padded signature', (p) => ({ ...p, sig: `${p.sig}=` })],
    ['a signature with a tail', (p) => ({ ...p, sig: `${p.sig}A` })],
    ['a cut signature', (p) => ({ ...p, sig: p.sig.slice(0, -1) })],
    ['a signature that decodes to the same bytes', (p) => ({ ...p, sig: sameBytesOtherText(p.sig) })],
    ['an empty signature', (p) => ({ ...p, sig: '' })],
    ['no signature', (p) => ({ ...p, sig: undefined })],
    ['two signatures', (p) => ({ ...p, sig: [p.sig, p.sig] })],
  ]
  test.each(tampered)('with %s is forbidden', (_, change) => {
    const presented = change(issued().presented)
    expect(() => assertUploadUrl(key, presented, beforeMs)).toThrow(expect.objectContaining({ code: 'forbidden' }))
    // Also when expired: without a valid signature, the expiry is not revealed.
    const late = () => assertUploadUrl(key, presented, (expiresAtSeconds + 10_000) * 1000)
    expect(late).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })

  test('signed by another key is forbidden', () => {
    const other = () => assertUploadUrl(randomBytes(32), issued().presented, beforeMs)
    expect(other).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })

  test.each([0, 1, 86_400_000])('is expired %i ms past its time', (lateMs) => {
    const late = () => assertUploadUrl(key, issued().presented, expiresAtSeconds * 1000 + lateMs)
    expect(late).toThrow(expect.objectContaining({ code: 'upload_expired' }))
  })
})

// The last of 43 characters has two unused bits, so four texts decode to the same bytes.
const sameBytesOtherText = (sig: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(sig.slice(-1))
  return sig.slice(0, -1) + alphabet[last ^ 1]
}

describe('media names', () => {
  test('are team, 24 characters and extension, and valid blob keys', () => {
    const team = shortId(newId())
    const name = mediaKey(team, 'png', randomBytes(15))
    expect(name).toMatch(new RegExp(`^${team}/[0-9a-hjkmnp-tv-z]{24}\\.png$`))
    expect(isBlobKey(name)).toBe(true)
    expect(mediaUrl('http://127.0.0.1:8080/', name)).toBe(`http://127.0.0.1:8080/media/${name}`)
  })

  test('use every random bit', () => {
    const names = Array.from({ length: 120 }, (_, bit) => {
      const random = Buffer.alloc(15)
      random.writeUInt8(1 << (bit % 8), Math.floor(bit / 8))
      return mediaKey('team', 'bin', random)
    })
    expect(new Set([...names, mediaKey('team', 'bin', Buffer.alloc(15))]).size).toBe(121)
    expect(() => mediaKey('team', 'bin', Buffer.alloc(14))).toThrow(RangeError)
  })
})
