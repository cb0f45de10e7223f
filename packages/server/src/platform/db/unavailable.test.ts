// Guarantees: a temporarily unavailable database is distinguished from an error.
import { expect, it } from 'vitest'
import { openDatabase } from './database.ts'
import { isDatabaseUnavailable, isPassing } from './unavailable.ts'

const failed = (code: string, more: object = {}) => Object.assign(new Error('x'), { code, ...more })

const cases: [claim: string, error: unknown, away: boolean][] = [
  ['a server that shuts down', failed('57P01'), true],
  ['a server that became read-only', failed('25006'), true],
  ['nobody listens', failed('ECONNREFUSED', { syscall: 'connect' }), true],
  ['nobody answers', failed('ETIMEDOUT', { syscall: 'connect' }), true],
  ['a host name that does not resolve yet', failed('ENOTFOUND', { syscall: 'getaddrinfo' }), true],
  ['a duplicate row', failed('23505'), false],
  ['a missing file', failed('ENOENT', { syscall: 'open' }), false],
]

it.each(cases)('%s', (_claim, error, away) => expect(isDatabaseUnavailable(error)).toBe(away))

it('a missing local socket, as during a restart', async () => {
  const { pool, close } = openDatabase('postgres://m@/m?host=/nowhere-at-all', { onError: () => undefined })
  const error = await pool.query('select 1').catch((caught: unknown) => caught)
  await close()
  expect(error).toMatchObject({ code: 'ENOENT' })
  expect(isDatabaseUnavailable(error)).toBe(true)
})

it.each([
  ['a database that is away', failed('57P01'), true],
  ['a deadlock', failed('40P01'), true],
  ['a lock timeout', failed('55P03'), true],
  ['a statement that took too long', failed('57014'), true],
  ['a full disk', failed('53100'), true],
  ['a value that cannot be stored', failed('22P05'), false],
  ['a value that is too large', failed('54000'), false],
  ['a programming error', new TypeError('x'), false],
])('may work in a moment: %s', (_claim, error, passing) => expect(isPassing(error)).toBe(passing))
