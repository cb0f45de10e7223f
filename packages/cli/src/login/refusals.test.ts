// Guarantees: a refused credential gets a hint that works; at a terminal a missing scope is requested for this one
// command.
import { afterEach, describe, expect, it, test } from 'vitest'
import { commands } from '../commands.ts'
import { exitCodes } from '../exit-codes.ts'
import { runProgram } from '../program.ts'
import type { Shell } from '../shell.ts'
import { serve, type TestServer } from '../testing/http-server.ts'
import { createShell } from '../testing/shell.ts'
import { storeLogin } from './stored-logins.ts'

let server: TestServer
afterEach(() => server.close())

const problem = (code: string, detail: string) =>
  JSON.stringify({ type: `https://mill.example/errors/${code}`, detail })
const started = {
  user_code: 'BCDF-GHJK',
  device_code: 'd',
  approve_url: 'https://mill.example/device?code=BCDF-GHJK',
  expires_in: 300,
  interval: 0.01,
}

/** Rejects every token except the one from an approval. */
const given = async (status: number, body: string, changes: Partial<Shell> = {}, token = 'sess_own') => {
  const asked: string[] = []
  server = await serve((request, response) => {
    const data = (value: unknown) => response.end(JSON.stringify({ data: value, messages: [] }))
    if (request.url === '/device/auth') {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      return void request.on('end', () => {
        asked.push(text)
        data(started)
      })
    }
    if (request.url?.startsWith('/device/auth/poll'))
      return void data({ status: 'approved', session_token: 'sess_more' })
    if (request.url === '/oauth/revoke') return void response.end('{}')
    if (request.headers.authorization === 'Bearer sess_more') return void data({ items: [] })
    response.writeHead(status).end(body)
  })
  const shell = await createShell(changes)
  const kind = token.startsWith('sess_') ? 'session' : 'key'
  await storeLogin(shell, server.url, { kind, token, team_id: 'team-1' })
  return { shell, asked }
}

describe('the hint', () => {
  test.each<[string, number, string, Partial<Shell>, string | undefined, RegExp]>([
    [
      'a stored credential',
      401,
      problem('unauthorized', 'No'),
      {},
      undefined,
      /No\nhint: Sign in with `millrace login`/,
    ],
    [
      'one from the environment',
      401,
      problem('unauthorized', 'No'),
      { env: { MILLRACE_API_KEY: 'bad' } },
      undefined,
      /No\nhint: MILLRACE_API_KEY overrides the sign-in/,
    ],
    [
      'a sign-in without the scope',
      403,
      problem('insufficient_scope', 'missing scope: apikeys:read'),
      {},
      undefined,
      /hint: Get the scope with `millrace login --scopes apikeys:read`/,
    ],
    [
      'a key without the scope',
      403,
      problem('insufficient_scope', 'missing scope: apps:read'),
      {},
      'mill-k',
      /`millrace key create NAME --scopes apps:read`/,
    ],
    [
      'a key where a person is needed',
      403,
      problem('requires_sign_in', 'apikeys:read needs a signed-in person'),
      {},
      'mill-k',
      /[Ss]ign in with `millrace login`/,
    ],
  ])('for %s', async (_claim, status, body, changes, token, says) => {
    const { shell, asked } = await given(status, body, changes, token)
    // Without an address in the environment the stored one is used.
    expect(await runProgram(commands, shell, ['key', 'list'].concat(changes.env ? ['--api', server.url] : []))).toBe(
      exitCodes.refused,
    )
    expect(shell.output.err).toMatch(says)
    expect(asked).toEqual([])
  })
})

it('requests a missing scope for the current workspace and revokes it after the command', async () => {
  const { shell, asked } = await given(403, problem('insufficient_scope', 'missing scope: apikeys:read'), {
    interactive: true,
  })
  expect(await runProgram(commands, shell, ['key', 'list', '--json'])).toBe(exitCodes.ok)
  expect(asked.map((text) => JSON.parse(text))).toEqual([
    { token_kind: 'session', scopes: ['apikeys:read'], team_id: 'team-1' },
  ])
  expect(shell.output.err).toContain('needs apikeys:read')
  expect(shell.output.out).toBe('{"items":[]}\n')
  expect(server.requests.at(-1)?.url).toBe('/oauth/revoke')
})
