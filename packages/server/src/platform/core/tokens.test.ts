// Guarantees: a key's text has the published form and checksum, its characters are equally likely, and masking shows
// only its last four characters.
import { randomInt } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import {
  hashToken,
  isSessionToken,
  keyChecksum,
  maskKey,
  newKeyText,
  newOpaqueToken,
  newSessionToken,
  parseKeyText,
  sameSecret,
} from './tokens.ts'

describe('keys', () => {
  // Checksums computed with an independent implementation of CRC-32 and base62.
  test.each([
    ['0'.repeat(36), '0etOEM'],
    ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJ', '1NZ3Qe'],
    [`k${'0'.repeat(34)}2`, '0EfmAi'],
  ])('the checksum of %s is %s', (body, checksum) => {
    expect(keyChecksum(body)).toBe(checksum)
    expect(parseKeyText(`mill-${body}${checksum}`)).not.toBeNull()
  })

  it('a new key has the published form and a valid checksum', () => {
    const text = newKeyText()
    expect(text).toMatch(/^mill-[0-9A-Za-z]{42}$/)
    expect(parseKeyText(text)).toEqual({ text, last4: text.slice(-4) })
  })

  it('a change of any single character is detected', () => {
    const text = newKeyText()
    for (let index = 'mill-'.length; index < text.length; index++) {
      const changed = text[index] === 'x' ? 'y' : 'x'
      expect(parseKeyText(text.slice(0, index) + changed + text.slice(index + 1))).toBeNull()
    }
  })

  test.each([
    '',
    'mill-',
    'mill-****abcd',
    `sk-${'0'.repeat(36)}0etOEM`,
    `mill-${'0'.repeat(36)}0etOEM\n`,
    'x'.repeat(9999),
  ])('no key: %j', (text) => expect(parseKeyText(text)).toBeNull())

  it('takes every character from one unbiased draw below 62', () => {
    const limits = new Set<number>()
    const text = newKeyText((limit) => {
      limits.add(limit)
      return 61
    })
    expect([...limits]).toEqual([62])
    expect(text.startsWith(`mill-${'z'.repeat(36)}`)).toBe(true)
  })

  it('draws each of the 62 characters about equally often', () => {
    const counts = new Map<string, number>()
    const keys = 2_000
    for (let made = 0; made < keys; made++)
      for (const character of newKeyText(randomInt).slice(5, 41))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = (keys * 36) / 62
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
    expect(counts.size).toBe(62)
    // 61 degrees of freedom: an unbiased draw exceeds 150 less than once in 100 million times.
    expect(chiSquare).toBeLessThan(150)
  })

  it('masks all but the last four', () => expect(maskKey('wXyZ')).toBe('mill-****wXyZ'))
})

describe('tokens', () => {
  it('session tokens have their form and differ', () => {
    expect(newSessionToken()).toMatch(/^sess_[A-Za-z0-9_-]{43}$/)
    expect(isSessionToken(newSessionToken())).toBe(true)
    expect(newOpaqueToken()).not.toBe(newOpaqueToken())
    expect(isSessionToken(newOpaqueToken())).toBe(false)
    expect(isSessionToken(newKeyText())).toBe(false)
  })
  it('are stored as SHA-256', () =>
    expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'))
  test.each([
    ['abc', 'abc', true],
    ['abc', 'abd', false],
    ['abc', 'abcd', false],
    ['', '', true],
  ])('sameSecret(%j, %j) is %s', (a, b, same) => expect(sameSecret(a, b)).toBe(same))
})
