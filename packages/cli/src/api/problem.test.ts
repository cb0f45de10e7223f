// Guarantees: for every response of the server or a proxy, a person reads one message and a script gets a code.
import { describe, expect, it, test } from 'vitest'
import { exitCodes } from '../exit-codes.ts'
import { describeFailure } from '../failures.ts'
import { toFailure } from './problem.ts'

const problem = (code: string, rest: object) => JSON.stringify({ type: `https://mill.example/errors/${code}`, ...rest })

describe('an error response', () => {
  test.each<[string, number, string, object]>([
    [
      'a problem',
      404,
      problem('not_found', { title: 'Not found', detail: 'App not found' }),
      { message: 'App not found', code: 'not_found', exitCode: exitCodes.failed },
    ],
    ['its title', 409, problem('conflict', { title: 'Conflict' }), { message: 'Conflict', code: 'conflict' }],
    ['no credential', 401, problem('unauthorized', { title: 'x' }), { exitCode: exitCodes.refused }],
    ['a missing scope', 403, problem('insufficient_scope', {}), { exitCode: exitCodes.refused }],
    ['a blocked address', 403, '{"message":"Blocked"}', { message: 'Blocked', code: 'http_403' }],
    ['a blocked region', 451, 'Not available', { exitCode: exitCodes.refused, code: 'http_451' }],
    ['too many', 429, problem('rate_limited', { title: 'Slow down' }), { exitCode: exitCodes.unavailable }],
    [
      'a proxy without a server',
      502,
      '<html>',
      { message: 'The server answered 502', exitCode: exitCodes.unavailable },
    ],
    ['a redirect', 302, '', { message: 'The server answered 302', exitCode: exitCodes.failed }],
    ['OAuth', 400, '{"error":"invalid_grant","error_description":"No"}', { message: 'No', code: 'invalid_grant' }],
  ])('%s', (_claim, status, text, expected) => expect(toFailure(status, text)).toMatchObject(expected))
})

test.each([
  ['one secret', ['The secret A is missing'], 'error: The secret A is missing'],
  [
    'two secrets',
    ['The secret A is missing', 'The secret B is missing'],
    'error: The app needs secrets first\n  The secret A is missing\n  The secret B is missing',
  ],
])('reports %s once, although the detail repeats the messages', (_claim, messages, text) => {
  const errors = messages.map((message) => ({ type: 'secret', key: 'A', message }))
  const body = { title: 'The app needs secrets first', detail: messages.join('; '), errors }
  expect(describeFailure(toFailure(412, problem('requirements_not_met', body))).text).toBe(text)
})

it('gives scripts the code, the status and the exit code', () =>
  expect(describeFailure(toFailure(401, problem('unauthorized', { detail: 'No' }))).json).toEqual({
    error: {
      code: 'unauthorized',
      message: 'No',
      status: 401,
      exit_code: exitCodes.refused,
    },
  }))
