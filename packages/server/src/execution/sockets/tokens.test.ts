// Guarantees: a socket opens only with an unchanged, unexpired token of this installation for this relay.
import { describe, expect, it } from 'vitest'
import { readToken, type SocketClaims, signToken } from './tokens.ts'

const key = new Uint8Array(32).fill(7)
const claims: SocketClaims = { sub: 'task', aud: 'ws://here', role: 'client', iat: 1000, exp: 1600 }
const read = (token: string, nowSeconds = 1000, aud = 'ws://here') => readToken(key, token, { aud, nowSeconds })
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('in time', () => {
  it.each([
    ['now', 1000, true],
    ['from a clock five seconds ahead', 995, true],
    ['issued in the future', 994, false],
    ['at its expiry, within the leeway', 1604, true],
    ['after it', 1605, false],
  ])('%s', (_claim, now, ok) => expect(read(signToken(key, claims), now)).toEqual(ok ? claims : null))
})

describe('refused', () => {
  const [head, body, signature] = signToken(key, claims).split('.')
  it.each([
    ['another key', signToken(new Uint8Array(32), claims)],
    ['another body', `${head}.${encode({ ...claims, role: 'worker' })}.${signature}`],
    ['no signature', `${encode({ alg: 'none', typ: 'JWT' })}.${body}.`],
    ['another algorithm', `${encode({ alg: 'HS512', typ: 'JWT' })}.${body}.${signature}`],
    ['four parts', `${head}.${body}.${signature}.x`],
    ['not JSON', `${head}.x.${signature}`],
    ['an unknown role', signToken(key, { ...claims, role: 'admin' as 'client' })],
    ['nothing', ''],
  ])('%s', (_claim, token) => expect(read(token)).toBeNull())
  it('another relay', () => expect(read(signToken(key, claims), 1000, 'ws://there')).toBeNull())
})
