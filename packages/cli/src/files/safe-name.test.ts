// Guarantees: a foreign name becomes one plain path segment on any system and keeps its extension.
import { describe, expect, it, test } from 'vitest'
import { nameOfDisposition, nameOfUrl, numberedName, safeName } from './safe-name.ts'

test.each([
  ['photo.png', 'photo.png'],
  ['Zoë 1.png', 'Zoë 1.png'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['/absolute', 'absolute'],
  ['.bashrc', 'bashrc'],
  ['..', 'file'],
  ['', 'file'],
  ['a\u0000b\n.txt', 'a_b_.txt'],
  ['gpj\u202Eexe.txt', 'gpj_exe.txt'],
  ['a:b*c?.txt', 'a_b_c_.txt'],
  ['CON.txt', '_CON.txt'],
  ['nul', '_nul'],
  ['name. ', 'name'],
])('%j is saved as %j', (name, expected) => expect(safeName(name)).toBe(expected))

it('shortens names that are too long for a file system, by whole characters', () => {
  const name = safeName(`${'ü'.repeat(300)}.tar.gz`)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
  expect(name).toMatch(/^ü+\.tar\.gz$|^ü+\.gz$|^ü+.*\.gz$/)
})

describe('names in headers', () => {
  test.each([
    ['attachment; filename="a b.png"', 'a b.png'],
    ['attachment; filename=a.png; size=3', 'a.png'],
    [`attachment; filename="_.png"; filename*=UTF-8''%C3%BC.png`, 'ü.png'],
    ['attachment; filename="a\\"b"', 'a"b'],
    [`inline; filename*=UTF-8''%zz`, null],
    ['inline', null],
    [null, null],
  ])('%j', (header, expected) => expect(nameOfDisposition(header)).toBe(expected))
})

test.each([
  ['https://x/a/b%20c.png?q=1', 'b c.png'],
  ['https://x/', ''],
  ['https://x/%zz', ''],
])('the name of %s', (url, expected) => expect(nameOfUrl(new URL(url))).toBe(expected))

test.each([
  ['a.png', 1, 'a.png'],
  ['a.png', 2, 'a-2.png'],
  ['a', 3, 'a-3'],
])('%s, number %i', (name, number, expected) => expect(numberedName(name, number)).toBe(expected))
