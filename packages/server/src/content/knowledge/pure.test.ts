// Guarantees: the hash of a version, the valid names and paths, the recognition of mentions, and the start of days and
// weeks.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { contentHash, sha256Hex } from './content-hash.ts'
import { mentionsIn } from './mentions.ts'
import { nameProblem, pathProblem, scopeTagProblem } from './names.ts'
import { startsOf } from './stats.ts'

describe('the content hash', () => {
  const file = (path: string, content: string) => ({ path, hash: sha256Hex(content) })
  it('is SHA-256 over path, NUL and hash, the main content first, the rest by bytes', () => {
    const main = file('z.md', 'main')
    const rest = [file('é.md', '3'), file('a.md', '1'), file('b.md', '2')]
    const lines = [main, rest[1], rest[2], rest[0]].map((one) => `${one?.path}\0${one?.hash}`).join('\n')
    expect(contentHash(main, rest)).toBe(createHash('sha256').update(lines).digest('hex'))
  })
  it('depends on paths, texts and the choice of the main file', () => {
    const [a, b] = [file('a', '1'), file('b', '2')]
    const hashes = [contentHash(a, [b]), contentHash(b, [a]), contentHash(a, []), contentHash(file('c', '1'), [b])]
    expect(new Set(hashes).size).toBe(4)
  })
})

it.each([
  ['a-good-name', true],
  ['a', true],
  ['2024', true],
  ['x'.repeat(64), true],
  ['x'.repeat(65), false],
  ['Upper', false],
  ['two--hyphens', false],
  ['', false],
  ['versions', false],
  ['download', false],
  ['lineage', false],
])('the name %s', (name, good) => expect(nameProblem(name) === null).toBe(good))

it.each([
  ['a.md', true],
  ['docs/a b.md', true],
  ['/a.md', false],
  ['../a.md', false],
  ['a/../b', false],
  ['a//b', false],
  ['./a', false],
  ['a\\b', false],
  ['a/', false],
])('the path %s', (path, good) => expect(pathProblem(path) === null).toBe(good))

it.each([
  ['lang:go', true],
  ['git:github.com/a/b', true],
  ['host:x:y', true],
  ['colour:red', false],
  ['lang', false],
  ['lang:', false],
  [':go', false],
])('the scope tag %s', (tag, good) => expect(scopeTagProblem(tag) === null).toBe(good))

describe('mentions', () => {
  const base = 'https://mill.example/'
  const refs = (markdown: string) =>
    mentionsIn(markdown, base).map(({ type, namespace, name }) => `${type ?? ''}:${namespace}/${name}`)
  it.each([
    ['see `acme/tool`', [':acme/tool']],
    ['see `app/acme/tool@1234`', ['app:acme/tool']],
    ['[x](acme/tool)', [':acme/tool']],
    ['[x](knowledge/acme/tool)', ['knowledge:acme/tool']],
    ['[x](/knowledge/acme/tool)', ['knowledge:acme/tool']],
    ['[x](https://mill.example/knowledge/acme/tool "title")', ['knowledge:acme/tool']],
    ['[x](https://mill.example/knowledge/acme/tool#part)', ['knowledge:acme/tool']],
    ['`acme/tool` and again [x](acme/tool)', [':acme/tool']],
    ['[x][1] and more\n\n[1]: acme/tool', [':acme/tool']],
    ['[x][]\n\n[x]: </knowledge/acme/tool> "title"', ['knowledge:acme/tool']],
    ['[x]: a word', []],
    ['plain acme/tool', []],
    ['[x](https://else.example/knowledge/acme/tool)', []],
    ['[x](/apps/acme/tool)', []],
    ['[x](../acme/tool)', []],
    ['`src/Main.ts`', []],
    ['`just-a-name`', []],
  ])('%s', (markdown, expected) => expect(refs(markdown)).toEqual(expected))

  it('a text of nothing but brackets terminates', () => {
    expect(refs(`${'[('.repeat(1_000_000)}${']('.repeat(1_000_000)}${'`'.repeat(1_000_001)}`)).toEqual([])
  })
})

describe('a text of code spans', () => {
  const mentioned = (before: number) => mentionsIn(`${'`abc` '.repeat(before)}\`acme/tool\``, 'https://mill.example')

  it('is searched up to a number of spans', () => {
    expect(mentioned(4_999)).toHaveLength(1)
    expect(mentioned(5_000)).toEqual([])
  })
})

describe('the start of a day and of a week', () => {
  it.each([
    ['2026-11-16T00:00:00.000Z', '2026-11-16', '2026-11-16'],
    ['2026-11-15T23:59:59.999Z', '2026-11-15', '2026-11-09'],
    ['2026-01-01T12:00:00.000Z', '2026-01-01', '2025-12-29'],
  ])('%s', (now, day, week) =>
    expect(startsOf(new Date(now))).toEqual({ day: `${day}T00:00:00.000Z`, week: `${week}T00:00:00.000Z` }),
  )
})
