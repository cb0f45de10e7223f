// Guarantees: codes follow RFC 6238, a clock may drift by one step, and no code works twice.
import { describe, expect, it, test } from 'vitest'
import { fromBase32, matchTotp, newTotpSecret, otpauthUri, toBase32, totpCode, totpStep } from './totp.ts'

const secret = new TextEncoder().encode('12345678901234567890')
const atSecond = (second: number): Date => new Date(second * 1000)

// RFC 6238, appendix B, SHA-1 rows.
test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('at %i s the code is %s', (second, code) => {
  expect(totpCode(secret, totpStep(atSecond(second)), 8)).toBe(code)
  expect(totpCode(secret, totpStep(atSecond(second)))).toBe(code.slice(2))
})

describe('matchTotp', () => {
  const now = atSecond(1_700_000_010)
  const step = totpStep(now)
  test.each([
    ['the present code', 0, step],
    ['the code before', -1, step - 1],
    ['the code after', 1, step + 1],
    ['two before', -2, null],
    ['two after', 2, null],
  ])('%s', (_claim, offset, matched) => {
    expect(matchTotp(secret, totpCode(secret, step + offset), now, 0)).toBe(matched)
  })
  it('spends a code', () => {
    const code = totpCode(secret, step)
    const used = matchTotp(secret, code, now, 0)
    expect(used).toBe(step)
    expect(matchTotp(secret, code, now, used ?? 0)).toBeNull()
    expect(matchTotp(secret, totpCode(secret, step - 1), now, used ?? 0)).toBeNull()
    expect(matchTotp(secret, totpCode(secret, step + 1), now, used ?? 0)).toBe(step + 1)
  })
  it('reads a code typed with a space', () => {
    const code = totpCode(secret, step)
    expect(matchTotp(secret, `${code.slice(0, 3)} ${code.slice(3)}`, now, 0)).toBe(step)
  })
  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６'])('no code: %j', (code) =>
    expect(matchTotp(secret, code, now, 0)).toBeNull(),
  )
})

describe('secrets', () => {
  // RFC 4648, section 10, without padding.
  test.each([
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('base32 of %s is %s', (text, encoded) => {
    const bytes = new TextEncoder().encode(text)
    expect(toBase32(bytes)).toBe(encoded)
    expect(fromBase32(encoded)).toEqual(bytes)
    expect(fromBase32(` ${encoded.toLowerCase()}== `)).toEqual(bytes)
  })
  it('refuses what is not base32', () => expect(fromBase32('MZXW1')).toBeNull())
  it('new ones have 160 bits and survive the text form', () => {
    const fresh = newTotpSecret()
    expect(fresh).toHaveLength(20)
    expect(fromBase32(toBase32(fresh))).toEqual(fresh)
  })
  it('travel in an otpauth URI', () => {
    const uri = new URL(otpauthUri({ issuer: 'Mill & Race', account: 'ada@example.com', secret }))
    expect(uri.protocol + uri.host).toBe('otpauth:totp')
    expect(decodeURIComponent(uri.pathname)).toBe('/Mill & Race:ada@example.com')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
      issuer: 'Mill & Race',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
