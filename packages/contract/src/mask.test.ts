// Guarantees: a secret that a target returns is masked in every usual encoding.
import { describe, expect, it } from 'vitest'
import { masker } from './mask.ts'

const key = 'sk-live-Ab+/9=zZ0123456789'
const mask = masker([key])
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('masking', () => {
  it.each([
    ['unchanged', `token: ${key}!`],
    ['in JSON', JSON.stringify({ key })],
    ['in base64', base64(key)],
    ['in base64 behind other bytes', base64(`Bearer ${key}`)],
    ['in base64 behind one byte', base64(`x${key}y`)],
    ['in base64 behind two bytes', base64(`xy${key}`)],
    ['in base64url', Buffer.from(key).toString('base64url')],
    ['in hex', Buffer.from(key).toString('hex')],
    ['in upper-case hex', Buffer.from(key).toString('hex').toUpperCase()],
    ['in a URL', encodeURIComponent(key)],
    ['in a form', new URLSearchParams({ key }).toString()],
  ])('%s', (_claim, text) => {
    const masked = mask(text)
    expect(masked).toContain('****')
    expect(masked).not.toContain('0123456789')
    expect(Buffer.from(masked, 'base64').toString()).not.toContain('Ab+/9')
  })

  it('does not change other texts', () => {
    expect(mask('nothing to see')).toBe('nothing to see')
    expect(masker(['abc'])('abc')).toBe('abc')
  })
})
