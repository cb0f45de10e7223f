// Guarantees: a command uses the given address, and a stored credential is sent only to its own server.
import { describe, expect, it, test } from 'vitest'
import { defaultApiUrl, loginOf, normalizeApiUrl, resolveTarget } from './resolve.ts'
import type { StoredLogins } from './stored-logins.ts'

const mill = { kind: 'session', token: 'sess_mill', team_id: 't1' } as const
const stored: StoredLogins = { current: 'https://mill.example', logins: { 'https://mill.example': mill } }

describe('the address', () => {
  test.each<[string, string | undefined, Record<string, string>, string]>([
    ['--api wins', 'https://a.example', { MILLRACE_API_URL: 'https://b.example' }, 'https://a.example'],
    ['then the environment', undefined, { MILLRACE_API_URL: 'https://b.example' }, 'https://b.example'],
    ['then the stored sign-in', undefined, { MILLRACE_API_URL: '' }, 'https://mill.example'],
  ])('%s', (_claim, flag, env, expected) => expect(resolveTarget({ flag, env, stored }).apiUrl).toBe(expected))
  it('is this machine without any of them', () =>
    expect(resolveTarget({ flag: undefined, env: {}, stored: { current: null, logins: {} } })).toEqual({
      apiUrl: defaultApiUrl,
      login: null,
      fromEnvironment: false,
    }))
})

describe('the credential', () => {
  test.each<[string, string | undefined, Record<string, string>, unknown]>([
    ['of the address', undefined, {}, mill],
    ['of the address in another spelling', 'HTTPS://Mill.example/', {}, mill],
    ['not at another address', 'https://evil.example', {}, null],
    ['not at another port', 'https://mill.example:8443', {}, null],
    ['not without encryption', 'http://mill.example', {}, null],
    ['not at a name every object has', 'http://x/constructor', {}, null],
    ['from the environment', undefined, { MILLRACE_API_KEY: 'mill-k' }, loginOf('mill-k', '')],
    [
      'a session from the environment, with its workspace',
      undefined,
      { MILLRACE_API_KEY: 'sess_s', MILLRACE_TEAM_ID: 't2' },
      { kind: 'session', token: 'sess_s', team_id: 't2' },
    ],
  ])('%s', (_claim, flag, env, expected) => expect(resolveTarget({ flag, env, stored }).login).toEqual(expected))
})

describe('invalid addresses', () => {
  test.each(['mill.example', 'ftp://mill.example', 'https://user:pass@mill.example', ''])('%j', (text) =>
    expect(() => normalizeApiUrl(text)).toThrow(/API address/),
  )
})
