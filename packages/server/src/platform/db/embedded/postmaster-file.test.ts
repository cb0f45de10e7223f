// Guarantees: a postmaster.pid is parsed in every state in which PostgreSQL writes it.
import { expect, test } from 'vitest'
import { isPostmasterOf, parsePostmasterNote } from './postmaster-file.ts'

const note = (...lines: string[]) => lines.join('\n')

test.each([
  ['an empty file, written by a server that was killed at once', '', null],
  ['nonsense', 'hello\nworld', null],
  ['a single-user session, which notes a negative id', '-12\n/d/postgres\n', null],
  [
    'before the socket exists',
    note('12', '/d/postgres', '1700000000', '5432'),
    { status: 'starting', socketDir: '/d/postgres' },
  ],
  [
    'while recovering',
    note('12', '/d/postgres', '1', '5432', '/s', '', '1 2', 'starting'),
    { status: 'starting', socketDir: '/s' },
  ],
  [
    'ready',
    note('12', '/d/postgres', '1', '5432', '/s', '', '1 2', 'ready   ', ''),
    { status: 'ready', socketDir: '/s' },
  ],
  [
    'stopping',
    note('12', '/d/postgres', '1', '5432', '/s', '', '1 2', 'stopping'),
    { status: 'stopping', socketDir: '/s' },
  ],
  [
    'a server that names its folder by its working directory',
    note('12', '/proc/self/cwd', '1', '5432', '/proc/self/cwd', '', '1 2', 'ready   '),
    { status: 'ready', socketDir: '/d/postgres' },
  ],
])('%s', (_, text, expected) => {
  expect(parsePostmasterNote(text, '/d/postgres')).toEqual(expected === null ? null : { pid: 12, ...expected })
})

test('a running process that is not the server of the folder is not mistaken for it', async () => {
  expect(await isPostmasterOf('/d/postgres', process.pid)).toBe(false)
})
