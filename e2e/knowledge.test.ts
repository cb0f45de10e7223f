// Guarantees: a folder of Markdown files is imported as entries and exported byte by byte; 100 people who edit one
// entry while the server crashes repeatedly lose no line; and afterwards the search index matches the rows. `npm run
// prove -- knowledge-kills --size large` kills it 50 times under 100 editors; the ordinary test run fewer.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countDisagreements } from '../packages/server/src/content/search/service.ts'
import { openDatabase } from '../packages/server/src/platform/db/database.ts'
import { findRunningPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { type CliContext, runInside } from './support/cli.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const kills = Number(process.env.KNOWLEDGE_KILLS ?? 2)
const editorCount = Number(process.env.KNOWLEDGE_EDITORS ?? 8)
// Semantic search is not used here, and the model would take a core from the editors.
const env = { ENGINE: 'false', EMBEDDINGS_URL: 'http://127.0.0.1:9/v1?model=none' }

let server: ServerProcess
let owner: SignedIn
let home: string
beforeAll(async () => {
  server = await startServer({ env })
  owner = await signIn(server.dataDir, 'knowledge@example.com', 'library')
  home = await mkdtemp(join(tmpdir(), 'millrace-knowledge-'))
})
afterAll(async () => {
  await server?.remove()
  if (home) await rm(home, { recursive: true, force: true })
})

const context = (cwd: string, team = owner.team_id): CliContext => ({
  configDir: join(home, 'config'),
  cwd,
  env: { MILLRACE_API_URL: server.url, MILLRACE_API_KEY: owner.session_token, MILLRACE_TEAM_ID: team },
})

const files: Record<string, string> = {
  'plain.md': '# Title\n\nText\n',
  'empty.md': '',
  'no-end-of-line.md': 'The last line ends here',
  'windows.md': '---\r\ndescription: Line ends of Windows\r\n---\r\nOne\r\nTwo\r\n',
  'mark.md': '\uFEFF---\ndescription: A byte order mark\n---\nText',
  'notes/deep/On Call.md':
    '---\n# a comment\ntags: [ops, "night"]\nscope: [lang:go]\ncolour:   red\n---\n\nWho is on call\n\n\n',
  'notes/kinds.markdown':
    '---\nname: kinds-of-things\ntype: concept\nlifecycle: decay\ntitle: Kinds\n---\n- a\n\t- b  \n',
  'tongues/Grüße 你好.md': '---\nname: greetings\n---\nمرحبا 🙂 \u0301\u00a0\u2028 end',
  'long.md': `${'A long line of text, again and again. '.repeat(9_000)}\n`,
}

const writeFolder = async (folder: string, given: Record<string, string>): Promise<void> => {
  for (const [path, content] of Object.entries(given)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

const readFolder = async (folder: string): Promise<Record<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const read = await Promise.all(
    paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
  )
  return Object.fromEntries(read.map(([path, bytes]) => [path, bytes.toString('base64')]))
}

it('a folder is imported and exported byte by byte, also through another workspace', async () => {
  const [given, first, second] = [join(home, 'given'), join(home, 'first'), join(home, 'second')]
  await writeFolder(given, files)
  const outcomes = async (folder: string, team?: string): Promise<string[]> => {
    const { code, out, err } = await runInside(context(home, team), ['knowledge', 'import', folder, '--json'])
    if (code !== 0) throw new Error(err)
    return (JSON.parse(out) as { outcome: string }[]).map(({ outcome }) => outcome)
  }
  const all = (outcome: string) => Object.keys(files).map(() => outcome)
  expect(await outcomes(given)).toEqual(all('created'))
  expect(await outcomes(given)).toEqual(all('unchanged'))
  expect((await runInside(context(home), ['knowledge', 'export', first])).code).toBe(0)
  expect(await readFolder(first)).toEqual(await readFolder(given))
  const other = await signIn(server.dataDir, 'knowledge@example.com', 'other-library')
  expect(await outcomes(first, other.team_id)).toEqual(all('created'))
  expect((await runInside(context(home, other.team_id), ['knowledge', 'export', second])).code).toBe(0)
  expect(await readFolder(second)).toEqual(await readFolder(given))
})

it('two files with the same name are rejected before anything is written', async () => {
  const folder = join(home, 'twins')
  await writeFolder(folder, { 'a first.md': 'x', 'on call.md': 'One', 'on-call.md': 'Two' })
  const { code, err } = await runInside(context(home), ['knowledge', 'import', folder])
  expect(code).toBe(2)
  expect(err).toContain('on call.md and on-call.md would both be the entry on-call')
  expect((await runInside(context(home), ['knowledge', 'show', 'a-first'])).code).not.toBe(0)
})

type Answer = { status: number; etag: string; data: Record<string, unknown> }

const call = async (method: string, path: string, body?: object, headers = {}): Promise<Answer> => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data = {} } = (await response.json()) as { data?: Record<string, unknown> }
  return { status: response.status, etag: response.headers.get('etag') ?? '', data }
}

/** Retries until the server answers; the caller checks the effect of unanswered requests. */
const answered = async (ask: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await ask().catch(() => null)
    if (answer && answer.status !== 503) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const contentIn = ({ data }: Answer): string =>
  (data.version as { content: { content: string } } | undefined)?.content.content ?? ''

/** Adds one line despite concurrent writers, and returns once the line is stored. */
const addLine = async (line: string): Promise<void> => {
  for (;;) {
    const read = await answered(() => call('GET', `/knowledge/${owner.namespace}/minutes?include=content`))
    expect(read.status).toBe(200)
    const content = contentIn(read)
    if (content.split('\n').includes(line)) return
    const body = { version: { content: { path: 'minutes.md', content: `${content}${line}\n` } } }
    const wrote = await call('POST', `/knowledge/${read.data.id}`, body, { 'if-match': read.etag }).catch(() => null)
    if (wrote) expect([200, 412, 503]).toContain(wrote.status)
    if (wrote?.status === 200) return
  }
}

/** Everything that changes the index: new entries, new versions, visibility, deletion. */
const churn = async (number: number, stopped: () => boolean, wrote: () => void): Promise<void> => {
  for (let step = 0; !stopped(); step += 1) {
    const version = { content: { path: 'a.md', content: `step ${step}` }, tags: [`tag-${step % 7}`] }
    try {
      const name = `churn-${number}-${step}-${Date.now()}`
      const { data } = await call('POST', '/knowledge', { name, description: `Entry ${step}`, version })
      wrote()
      await call('POST', `/knowledge/${data.id}`, { description: `Changed ${step}`, version })
      await call('POST', `/knowledge/${data.id}/visibility`, { visibility: step % 2 ? 'team' : 'public' })
      if (step % 3 === 0) await call('DELETE', `/knowledge/${data.id}`)
      wrote()
    } catch {
      // The server died; the next step is a retry.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

const disagreements = async (): Promise<{ wrong: number; rows: number }> => {
  const running = await findRunningPostgres(server.dataDir)
  const { db, close } = openDatabase(running?.connectionString ?? '', { maxConnections: 1, onError: () => {} })
  try {
    const indexed = await db.selectFrom('search_documents').select('id').execute()
    return { wrong: await countDisagreements(db), rows: indexed.length }
  } finally {
    await close()
  }
}

it(`${kills} kills under ${editorCount} editors lose no line, and index and rows agree`, {
  timeout: 3_600_000,
}, async () => {
  const version = { content: { path: 'minutes.md', content: '' } }
  await call('POST', '/knowledge', { name: 'minutes', description: 'Minutes of everything', version })
  let stopped = false
  let writes = 0
  let flowing = Promise.withResolvers<void>()
  let enough = 10
  const wrote = () => {
    writes += 1
    if (writes >= enough) flowing.resolve()
  }
  const isStopped = () => stopped
  const churning = Array.from({ length: 4 }, (_, number) => churn(number, isStopped, wrote))
  const lines: string[] = []
  const edit = async (editor: number): Promise<void> => {
    // As many as keep the text short enough to be read in one piece.
    for (let number = 0; number === 0 || (number < 40 && !stopped); number += 1) {
      const line = `editor ${editor} line ${number}`
      await addLine(line)
      lines.push(line)
    }
  }
  const editing = Array.from({ length: editorCount }, (_, editor) => edit(editor))
  for (let kill = 0; kill < kills; kill += 1) {
    // Killed under load: on a busy machine the first replies may take a while.
    await flowing.promise
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300))
    await server.kill()
    server = await startServer({ dataDir: server.dataDir, env })
    enough = writes + 10
    flowing = Promise.withResolvers<void>()
  }
  await flowing.promise
  stopped = true
  await Promise.all([...churning, ...editing])
  const minutes = await call('GET', `/knowledge/${owner.namespace}/minutes?include=content`)
  const held = contentIn(minutes)
    .split('\n')
    .filter((line) => line !== '')
  const { wrong, rows } = await disagreements()
  console.log(
    `knowledge: ${kills} kills, ${writes} writes, ${lines.length} lines of ${editorCount} editors, ${rows} rows in the index, ${wrong} wrong`,
  )
  expect(new Set(held)).toEqual(new Set(lines))
  expect(held).toHaveLength(lines.length)
  expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(editorCount)
  expect(wrong).toBe(0)
})
