// Guarantees: the socket path fits its address, and the socket is never in a folder that another user could have
// prepared.
import { chmodSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { dropSocketFolder, fitsSocketAddress, prepareSocketFolder, shortFolderFor } from './socket-folder.ts'
import { emptyFolder, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

const runAs = { kind: 'self', nativeDir: '/unused' } as const

test.each([
  ['short', '/data/postgres', true],
  ['at the limit', `/${'d'.repeat(88)}`, true],
  ['one over', `/${'d'.repeat(89)}`, false],
  ['counted in bytes, not characters', `/${'é'.repeat(60)}`, false],
])('%s', (_, dir, fits) => {
  expect(fitsSocketAddress(dir)).toBe(fits)
})

test('a long path gets its own short folder, even if the temporary folder has a long path', () => {
  const long = `/${'d'.repeat(120)}`
  expect(shortFolderFor(long, '/tmp')).not.toBe(shortFolderFor(`${long}/x`, '/tmp'))
  expect(shortFolderFor(long, long)).toMatch(/^\/tmp\/millrace-[0-9a-f]{16}$/)
})

test('a folder that others can write is rejected by name', async () => {
  const long = join(emptyFolder(), 'd'.repeat(120))
  const short = shortFolderFor(long, tmpdir())
  mkdirSync(short)
  chmodSync(short, 0o777)
  await expect(prepareSocketFolder(long, runAs)).rejects.toThrow(`The folder ${short} for PostgreSQL's socket exists`)
  rmSync(short, { recursive: true })
  expect(await prepareSocketFolder(long, runAs)).toBe(short)
  expect(statSync(short).mode & 0o777).toBe(0o700)
  await dropSocketFolder(long, short)
})
