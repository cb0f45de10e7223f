// Guarantees: an approval signs in the program that requested it; a browser opens only where a person sees it; the
// proof of a claim follows RFC 7636.
import { describe, expect, it, test } from 'vitest'
import { createApi } from '../api/client.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Shell } from '../shell.ts'
import { serve } from '../testing/http-server.ts'
import { createShell } from '../testing/shell.ts'
import { hasBrowser, signInByBrowser } from './device.ts'
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
  it('is different each time', () => expect(newPkce().verifier).not.toBe(newPkce().verifier))
})

describe('a sign-in that polls', () => {
  const signIn = async (answers: object[]) => {
    const server = await serve((request, response) => {
      const started = {
        user_code: 'BCDF-GHJK',
        device_code: 'secret/code',
        approve_url: 'https://mill.example/device?code=BCDF-GHJK',
        poll_url: '',
        expires_in: 300,
        interval: 0.01,
      }
      const data = request.method === 'POST' ? started : answers.shift()
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data, messages: [] }))
    })
    const shell = await createShell()
    try {
      const credential = await signInByBrowser(createApi(server.url, null), shell)
      return { credential, shell, polled: server.requests.slice(1).map(({ url }) => url) }
    } finally {
      await server.close()
    }
  }

  it('shows the page and the user code but not the device code, and returns the approved credential', async () => {
    const approved = { status: 'approved', session_token: 'sess_1', team_id: 't1' }
    const { credential, shell, polled } = await signIn([{ status: 'pending' }, approved])
    expect(credential).toEqual(approved)
    expect(shell.opened).toEqual(['https://mill.example/device?code=BCDF-GHJK'])
    expect(shell.output.err).toContain('BCDF-GHJK')
    expect(shell.output.err).not.toContain('secret')
    expect(polled).toEqual(['/device/auth/poll/secret%2Fcode', '/device/auth/poll/secret%2Fcode'])
  })
  it.each(['denied', 'expired'])('is refused when it was %s', async (status) =>
    expect(signIn([{ status }])).rejects.toMatchObject({ exitCode: exitCodes.refused }),
  )
})
