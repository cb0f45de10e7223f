// Guarantees: a failed start prints which setting to change, without secrets.
import { describe, expect, it } from 'vitest'
import { SettingsError, settingTable } from '#platform/settings/settings.ts'
import { requestsHelp, settingsHelp } from '#platform/settings/settings-help.ts'
import { startProblem } from './start-problem.ts'

const failed = (code: string, syscall?: string, message = 'x'): Error =>
  Object.assign(new Error(message), { code, ...(syscall ? { syscall } : {}) })

const here = { HOST: '127.0.0.1', PORT: 7700, DATABASE_URL: undefined }
const there = { ...here, DATABASE_URL: 'postgres://u:hunter2@db/x' }

const table: [string, unknown, typeof here | typeof there | undefined, RegExp][] = [
  ['settings that are not valid', new SettingsError('PORT: must be'), undefined, /^PORT: must be\n\n.*--help/s],
  ['a port in use', failed('EADDRINUSE', 'listen'), here, /Port 7700 of 127.0.0.1 is taken.*set PORT/],
  ['a port for the administrator only', failed('EACCES', 'listen'), here, /Port 7700 may not be opened.*PORT/],
  ['an address of another machine', failed('EADDRNOTAVAIL', 'listen'), here, /HOST 127.0.0.1/],
  ['another failure to listen', failed('EINVAL', 'listen', 'listen EINVAL'), here, /^listen EINVAL$/],
  ['an unreachable database', failed('ECONNREFUSED', 'connect'), there, /DATABASE_URL cannot be reached \(ECONN/],
  ['our own message', new Error('The data folder is in use'), here, /^The data folder is in use$/],
  ['our own message with a cause', new Error('No folder.', { cause: failed('EROFS') }), here, /^No folder. \(EROFS\)$/],
  ['a database that does not exist', failed('3D000'), there, /^The database named in DATABASE_URL does not exist/],
  ['a wrong password', failed('28P01'), there, /^The database refused the user name or password/],
  [
    'the embedded database',
    failed('ECONNREFUSED', 'connect'),
    here,
    /^The program could not start: x \(ECONNREFUSED\)/,
  ],
  [
    'fields that hold secrets',
    Object.assign(failed('XX000'), { client: { secretKey: 'hunter2' } }),
    there,
    /^The program could not start: x \(XX000\)\n\s+at /,
  ],
  [
    'an unexpected cause',
    new Error('x', { cause: new TypeError('y') }),
    here,
    /^The program could not start: x\ncaused by y\n\s+at /,
  ],
  ['a thrown string', 'x', here, /^The program could not start: x$/],
]

describe('the message of a failed start', () => {
  it.each(table)('%s', (_claim, error, settings, expected) => {
    const words = startProblem(error, settings)
    expect(words).toMatch(expected)
    expect(words).not.toContain('hunter2')
  })
})

describe('--help', () => {
  it('lists every setting as a flag', () => {
    const flags = settingsHelp().match(/^ {2}--[a-z0-9-]+/gm) ?? []
    expect(flags.map((flag) => flag.trim().slice(2).toUpperCase().replaceAll('-', '_'))).toEqual(
      Object.keys(settingTable),
    )
  })
  it.each([
    [['--help'], true],
    [['--port', '1', '-h'], true],
    [['--port', '1'], false],
  ])('%j asks for it: %s', (argv, asked) => {
    expect(requestsHelp(argv)).toBe(asked)
  })
})
