// Guards: a browser is opened only where a person would see it, and the proof of a claim is the one of RFC 7636.
import { describe, expect, it, test } from 'vitest'
import type { Shell } from '../shell.ts'
import { hasBrowser } from './device.ts'
import { newPkce, pkceOf } from './pkce.ts'

describe('a browser', () => {
  test.each<[string, Partial<Shell>, boolean]>([
    ['on a desktop', { env: { DISPLAY: ':0' } }, true],
    ['on Wayland', { env: { WAYLAND_DISPLAY: 'wayland-0' } }, true],
    ['on a Mac', { platform: 'darwin' }, true],
    ['on a Mac far away', { platform: 'darwin', env: { SSH_CONNECTION: '1 2 3 4' } }, false],
    ['on a console', {}, false],
    ['in a script', { env: { DISPLAY: ':0' }, interactive: false }, false],
  ])('%s: %#', (_claim, shell, expected) =>
    expect(hasBrowser({ env: {}, platform: 'linux', interactive: true, ...shell })).toBe(expected),
  )
})

describe('the proof', () => {
  it('is the example of RFC 7636, appendix B', () => {
    const random = Buffer.from('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', 'base64url')
    expect(pkceOf(random)).toEqual({
      verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    })
  })
  it('is another one each time', () => expect(newPkce().verifier).not.toBe(newPkce().verifier))
})
