// Guarantees: a write updates the version that was read, in the given workspace, with unchanged bytes; every exported entry
// has its own file.
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { exitCodes } from '../exit-codes.ts'
import { type Answers, runAgainst } from '../testing/answers.ts'
import { knowledgeCommands } from './knowledge.ts'
import { skillCommands } from './skill.ts'

const latin1 = Buffer.from('caf\xe9', 'latin1')
const folderWith = async (files: Record<string, string | Buffer>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return folder
}

const me = { 'GET /me': { team: { username: 'mine' } } }
const onCall = {
  id: 'e1',
  namespace: 'mine',
  name: 'on-call',
  description: 'D',
  version_id: 'v7',
  version: { content: { path: 'on-call.md' } },
}
const held: Answers = { ...me, 'GET /knowledge/mine/on-call': onCall, 'POST /knowledge/e1': onCall }
const run = (answers: Answers, words: string[], cwd: string, stdin?: Readable) =>
  runAgainst([...knowledgeCommands, ...skillCommands], answers, words, { cwd, ...(stdin ? { stdin } : {}) })
const writes = (requests: readonly { route: string }[]) => requests.filter(({ route }) => !route.startsWith('GET '))

describe('knowledge create and update', () => {
  it('updates the version that it found', async () => {
    const { code, requests } = await run(
      held,
      ['knowledge', 'update', 'on-call', 'a.md'],
      await folderWith({ 'a.md': 'New' }),
    )
    expect(code).toBe(exitCodes.ok)
    expect(writes(requests)).toMatchObject([{ route: 'POST /knowledge/e1', headers: { 'if-match': '"v7"' } }])
  })
  it('creates an entry in the current workspace, with and without its name', async () => {
    const answers = { ...me, 'POST /knowledge': onCall }
    for (const name of ['new', 'mine/new']) {
      const { requests } = await run(
        answers,
        ['knowledge', 'create', name, '-'],
        await folderWith({}),
        Readable.from(['Text']),
      )
      expect(writes(requests)).toMatchObject([
        { body: { name: 'new', version: { content: { path: 'new.md', content: 'Text' } } } },
      ])
      expect(writes(requests)[0]).not.toHaveProperty('headers.if-match')
    }
  })
  it('does not create an entry in another workspace', async () => {
    const answers = { ...me, 'POST /knowledge': onCall }
    const { code, err, requests } = await run(
      answers,
      ['knowledge', 'create', 'other/new', 'a.md'],
      await folderWith({ 'a.md': 'x' }),
    )
    expect(code).toBe(exitCodes.usage)
    expect(err).toContain('other/new')
    expect(err).toContain('mine')
    expect(writes(requests)).toEqual([])
  })
  it.each(['a.md', '-'])('rejects a file that is not UTF-8 (%s)', async (file) => {
    const cwd = await folderWith({ 'a.md': latin1 })
    const { code, err, requests } = await run(
      held,
      ['knowledge', 'update', 'on-call', file],
      cwd,
      Readable.from([latin1]),
    )
    expect([code, requests]).toEqual([exitCodes.usage, []])
    expect(err).toContain('is not UTF-8')
  })
})

it('knowledge import updates the version that it compared with', async () => {
  const folder = await folderWith({ 'notes/on-call.md': '---\nname: on-call\n---\nNew' })
  const { code, requests } = await run(held, ['knowledge', 'import', 'notes'], folder)
  expect(code).toBe(exitCodes.ok)
  expect(writes(requests)).toMatchObject([{ route: 'POST /knowledge/e1', headers: { 'if-match': '"v7"' } }])
})

describe('skill create', () => {
  const answers = { ...me, 'POST /skills': { ...onCall, name: 'folder' } }
  it('names the file that is not UTF-8', async () => {
    const cwd = await folderWith({ 'folder/SKILL.md': 'Do it.', 'folder/notes.txt': latin1 })
    const { code, err, requests } = await run(answers, ['skill', 'create', 'folder'], cwd)
    expect([code, requests]).toEqual([exitCodes.usage, []])
    expect(err).toContain('notes.txt is not UTF-8')
  })
  it('cuts the description between characters', async () => {
    const cwd = await folderWith({ 'folder/SKILL.md': `# ${'x'.repeat(1023)}😀y\n` })
    const { requests } = await run(answers, ['skill', 'create', 'folder'], cwd)
    expect(writes(requests)).toMatchObject([{ body: { description: `${'x'.repeat(1023)}😀` } }])
  })
})

describe('knowledge export', () => {
  const exported = async (
    given: readonly (readonly [name: string, path: string])[],
    platform: NodeJS.Platform = 'linux',
  ) => {
    const entries = given.map(([name, path], index) => ({
      ...{
        id: `e${index}`,
        namespace: 'mine',
        name,
        title: '',
        description: 'D',
        type: 'concept',
        lifecycle: 'permanent',
      },
      version: { content: { path, content: `Text of ${name}` }, tags: [], scope: [] },
    }))
    const answers = Object.fromEntries(entries.map((entry) => [`GET /knowledge/${entry.id}?include=content`, entry]))
    const list = { 'POST /knowledge/list': { items: entries, has_next: false } }
    const cwd = await folderWith({})
    const words = ['knowledge', 'export', 'out']
    const { code, out } = await runAgainst(knowledgeCommands, { ...answers, ...list }, words, { cwd, platform })
    expect([code, out]).toEqual([exitCodes.ok, `Wrote ${given.length} files to out\n`])
    const found = await readdir(join(cwd, 'out'), { recursive: true, withFileTypes: true })
    const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
    const texts = await Promise.all(
      files.map(async (path) => [path.slice(join(cwd, 'out/').length), await readFile(path, 'utf8')]),
    )
    return Object.fromEntries(texts.map(([path = '', text = '']) => [path, text.slice(text.indexOf('Text of ') + 8)]))
  }
  it.each<[string, [string, string][], Record<string, string>]>([
    [
      'one path of two',
      [
        ['a', 'b.md'],
        ['c', 'k.md'],
        ['b', 'k.md'],
      ],
      { 'b.md': 'a', 'k.md': 'c', 'b-2.md': 'b' },
    ],
    [
      'a path that is another’s name',
      [
        ['c', 'k.md'],
        ['b', 'k.md'],
        ['a', 'b.md'],
      ],
      { 'k.md': 'c', 'b-2.md': 'b', 'b.md': 'a' },
    ],
    [
      'a folder that is another’s file',
      [
        ['a', 'x.md/y.md'],
        ['b', 'x.md'],
      ],
      { 'x.md/y.md': 'a', 'b.md': 'b' },
    ],
    [
      'a file that is another’s folder',
      [
        ['a', 'x.md'],
        ['b', 'x.md/y.md'],
      ],
      { 'x.md': 'a', 'b.md': 'b' },
    ],
    [
      'paths that would lead out, or are not taken in',
      [
        ['a', '../x.md'],
        ['b', '.git/x.md'],
        ['c', 'x.sh'],
      ],
      { 'a.md': 'a', 'b.md': 'b', 'c.md': 'c' },
    ],
    [
      'two cases of a letter',
      [
        ['a', 'K.md'],
        ['b', 'k.md'],
      ],
      { 'K.md': 'a', 'k.md': 'b' },
    ],
  ])('%s', async (_claim, entries, files) => {
    expect(await exported(entries)).toEqual(files)
  })
  it('treats names that differ in case as equal on systems that do', async () => {
    expect(
      await exported(
        [
          ['a', 'K.md'],
          ['b', 'k.md'],
        ],
        'darwin',
      ),
    ).toEqual({ 'K.md': 'a', 'b.md': 'b' })
  })
})
