// Guarantees: keys, file names and custom paths cannot leave the store or look like another; disk names are reversible.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyTempFile, fileNameOf, keyOfFileName, shardOf, type TempOwner, tempName } from './disk-paths.ts'
import { cleanCustomPath, cleanFilename, isBlobKey, maxKeyLength } from './keys.ts'
import { hostileKeys } from './testing/store-contract.ts'

const keys = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,30}(\/[A-Za-z0-9_][A-Za-z0-9._-]{0,30}){0,2}$/)

describe('blob keys', () => {
  test.each(hostileKeys)('%j is not a key', (key) => expect(isBlobKey(key)).toBe(false))
  test.each(['a', 'team/x.png', 'Team/X_y-z.0', `${'a'.repeat(maxKeyLength)}`])('%j is a key', (key) => {
    expect(isBlobKey(key)).toBe(true)
  })

  test('disk names decode to their key, fit a file system and never collide when case is folded', () => {
    fc.assert(
      fc.property(keys, keys, (key, other) => {
        const name = fileNameOf(key)
        expect(keyOfFileName(name)).toBe(key)
        expect(name).toMatch(/^[a-z0-9._,+-]{1,255}$/)
        expect(name === fileNameOf(other)).toBe(key === other)
        expect(shardOf(key)).toMatch(/^[0-9a-f]{2}$/)
      }),
    )
  })

  test.each(['A', '..', '', 'a,', ',a', 'a+', '+1', 'x'.repeat(121)])('%j on disk is not a blob', (name) => {
    expect(keyOfFileName(name)).toBeNull()
  })
})

describe('custom paths', () => {
  const kept: [given: string, path: string][] = [
    ['report.pdf', 'report.pdf'],
    ['a/b/c d.txt', 'a/b/c d.txt'],
    ['año/日本語.txt', 'año/日本語.txt'],
    ['cafe\u0301.txt', 'café.txt'],
    ['..hidden/...x', '..hidden/...x'],
  ]
  test.each(kept)('%j is kept as %j', (given, path) => expect(cleanCustomPath(given)).toBe(path))

  const refused = [
    '',
    ' ',
    '/',
    '/etc/passwd',
    '..',
    '../x',
    'a/../b',
    'a/..',
    'a/./b',
    'a//b',
    'a/ /b',
    'a/.. /b',
    'a/...',
    'a/',
    'C:\\x',
    'C:/x',
    'a\\..\\b',
    'a\0b',
    'a\nb',
    'a/\u2024\u2024/b',
    'a/．．/b',
    'a/\u2025/b',
    'a＼b',
    '／etc/passwd',
    'a\u200b/b',
    'a/\u202eb',
    '\ufeffa',
    'a\ud800b',
    'x'.repeat(201),
    `${'x/'.repeat(300)}x`,
  ]
  test.each(refused)('%j is rejected', (given) => {
    expect(() => cleanCustomPath(given)).toThrow(expect.objectContaining({ code: 'validation_error' }))
  })

  test('accepted paths never contain a segment that moves up', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', '\\', 'a', '．', '／', ' ', '\0', '‥') }), (given) => {
        let path: string
        try {
          path = cleanCustomPath(given)
        } catch {
          return
        }
        const folded = path.normalize('NFKC')
        expect(new URL(folded, 'file:///store/').pathname).toMatch(/^\/store\//)
        expect(folded.split('/').some((segment) => ['', '.', '..'].includes(segment.trim()))).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('file names', () => {
  const cases: [given: string, name: string][] = [
    ['a.txt', 'a.txt'],
    ['dir/a.txt', 'a.txt'],
    ['..\\..\\a.txt', 'a.txt'],
    ['..', ''],
    ['.', ''],
    ['a/..', ''],
    ['.env', '.env'],
    ['a\0b\r\n.txt', 'ab.txt'],
    ['  spaced.txt ', 'spaced.txt'],
    [`${'é'.repeat(300)}.jpeg`, `${'é'.repeat(195)}.jpeg`],
  ]
  test.each(cases)('%j becomes %j', (given, name) => expect(cleanFilename(given)).toBe(name))
})

describe('a temporary file', () => {
  const us: TempOwner = { host: 'Box.example', pid: 42, boot: 'now' }
  const alive = (pid: number) => pid === 42 || pid === 7
  const cases: [claim: string, name: string, verdict: string][] = [
    ['of this process is ours', tempName(us, 'u1'), 'ours'],
    ['of an earlier process with the same id is abandoned', tempName({ ...us, boot: 'before' }, 'u1'), 'abandoned'],
    ['of a dead process is abandoned', tempName({ ...us, pid: 9 }, 'u1'), 'abandoned'],
    ['of a running process is decided by age', tempName({ ...us, pid: 7 }, 'u1'), 'unknown'],
    ['of another machine is decided by age', tempName({ ...us, host: 'other' }, 'u1'), 'unknown'],
    ['with another name is decided by age', 'something.tmp', 'unknown'],
    ['with an invalid process id is decided by age', 'box-example.-1.b.u', 'unknown'],
  ]
  test.each(cases)('%s', (_, name, verdict) => expect(classifyTempFile(name, us, alive)).toBe(verdict))
})
