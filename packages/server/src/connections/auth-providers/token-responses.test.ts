// Guarantees: every hook converts the response of its service to the standard form, only a token counts as success, and
// a refusal of the service is reported as a refusal.
import { describe, expect, it } from 'vitest'
import { readTokenAnswer, tokenResponseHooks } from './token-responses.ts'

type Case = {
  claim: string
  hook?: string
  status?: number
  contentType?: string
  body: string | object
  sentAt?: string
  expected: { status: number; fields: object }
}

const ok = (fields: object) => ({ status: 200, fields: { token_type: 'bearer', ...fields } })

const cases: Case[] = [
  {
    claim: 'a standard answer stays as it is',
    body: { access_token: 't', token_type: 'Bearer', expires_in: 60, scope: 'a b', refresh_token: 'r' },
    expected: ok({ access_token: 't', token_type: 'Bearer', expires_in: 60, scope: 'a b', refresh_token: 'r' }),
  },
  {
    claim: 'without a type, with empty fields and a list of scopes',
    body: { access_token: 't', refresh_token: '', expires_in: null, scope: ['a', 'b'] },
    expected: ok({ access_token: 't', scope: 'a b' }),
  },
  {
    claim: 'a refusal under status 200',
    body: { error: 'bad_verification_code', error_description: 'The code is old' },
    expected: { status: 400, fields: { error: 'bad_verification_code', error_description: 'The code is old' } },
  },
  {
    claim: 'a refusal keeps its status and only what the standard knows',
    status: 401,
    body: { error: 'invalid_client', hint: 'x' },
    expected: { status: 401, fields: { error: 'invalid_client' } },
  },
  { claim: 'a page', body: '<html>', expected: { status: 200, fields: {} } },
  {
    claim: 'a token under an error status is no token',
    status: 500,
    body: { access_token: 't' },
    expected: { status: 500, fields: {} },
  },
  {
    claim: 'form: an encoded answer under any content type',
    hook: 'form',
    contentType: 'text/plain',
    body: 'access_token=t&scope=a%20b&token_type=bearer&expires=3600',
    expected: ok({ access_token: 't', scope: 'a b', expires_in: '3600' }),
  },
  { claim: 'form: JSON after all', hook: 'form', body: { access_token: 't' }, expected: ok({ access_token: 't' }) },
  {
    claim: 'form: a refusal',
    hook: 'form',
    contentType: 'application/x-www-form-urlencoded',
    body: 'error=invalid_grant',
    expected: { status: 400, fields: { error: 'invalid_grant' } },
  },
  {
    claim: 'comma_scopes',
    hook: 'comma_scopes',
    body: { access_token: 't', scope: 'repo,read:user' },
    expected: ok({ access_token: 't', scope: 'repo read:user' }),
  },
  {
    claim: 'slack: the bot’s token, with the workspace beside it',
    hook: 'slack',
    body: { ok: true, access_token: 'xoxb', token_type: 'bot', scope: 'chat:write,users:read', team: { id: 'T1' } },
    expected: ok({ ok: true, access_token: 'xoxb', scope: 'chat:write users:read', team: { id: 'T1' } }),
  },
  {
    claim: 'slack: refused in the body',
    hook: 'slack',
    body: { ok: false, error: 'invalid_code' },
    expected: { status: 400, fields: { error: 'invalid_code' } },
  },
  {
    claim: 'slack_authed_user: the person’s token',
    hook: 'slack_authed_user',
    body: { ok: true, authed_user: { id: 'U1', access_token: 'xoxp', token_type: 'user', scope: 'search:read' } },
    expected: {
      status: 200,
      fields: expect.objectContaining({ access_token: 'xoxp', token_type: 'bearer', scope: 'search:read', id: 'U1' }),
    },
  },
  {
    claim: 'nested_data: the token lies deeper',
    hook: 'nested_data',
    body: { code: 0, data: { access_token: 't', expires_in: 5 } },
    expected: ok({ code: 0, access_token: 't', expires_in: 5 }),
  },
  {
    claim: 'nested_data: a refusal with a message',
    hook: 'nested_data',
    body: { code: 10001, message: 'code expired', data: {} },
    expected: { status: 400, fields: { error: 'invalid_grant', error_description: 'code expired' } },
  },
  {
    claim: 'camel_case',
    hook: 'camel_case',
    body: { accessToken: 't', refreshToken: 'r', expiresIn: 60, tokenType: 'Bearer', scopes: ['a'] },
    expected: {
      status: 200,
      fields: expect.objectContaining({ access_token: 't', refresh_token: 'r', expires_in: 60, token_type: 'Bearer' }),
    },
  },
  {
    claim: 'expires_at: counted by the server’s own clock, an hour behind ours or not',
    hook: 'expires_at',
    sentAt: '2030-01-01T00:00:00Z',
    body: { access_token: 't', expires_at: Date.parse('2030-01-01T02:00:00Z') / 1000 },
    expected: ok({ access_token: 't', expires_at: 1893463200, expires_in: 7200 }),
  },
  {
    claim: 'expires_at: as a date, already past',
    hook: 'expires_at',
    sentAt: '2030-01-01T00:00:00Z',
    body: { access_token: 't', expires_at: '2029-12-31T00:00:00Z' },
    expected: ok({ access_token: 't', expires_at: '2029-12-31T00:00:00Z', expires_in: 0 }),
  },
]

describe('token answers', () => {
  it.each(cases)('$claim', ({ hook, status = 200, contentType = 'application/json', body, sentAt, expected }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const sentAtMs = sentAt === undefined ? null : Date.parse(sentAt)
    expect(readTokenAnswer(hook, { status, text, contentType, sentAtMs })).toEqual(expected)
  })

  it('every hook has a case', () => {
    const shown = new Set(cases.map(({ hook }) => hook))
    expect(tokenResponseHooks.filter((hook) => !shown.has(hook))).toEqual([])
  })
})
