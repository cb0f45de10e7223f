// Guarantees: the CLI works against the real server: sign-in, from `app create` to a run's output, upload and download,
// an own engine, and the exit codes and JSON that scripts rely on. Sign-in, long-running and interactive commands, and
// signals use processes; the other commands run inside this process.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliContext, type Ended, runCli, runInside, startCli } from './support/cli.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type Person, signInByMail } from './support/person.ts'
import { type ServerProcess, startServer } from './support/server.ts'

type Json = Record<string, unknown>

let server: ServerProcess
let owner: SignedIn
let person: Person
let folder: string
let home: CliContext

/** Another person's shell on the same machine. */
const newContext = async (env: Record<string, string> = {}): Promise<CliContext> => {
  const cwd = await mkdtemp(join(folder, 'home-'))
  return { cwd, configDir: join(cwd, 'config'), env: { MILLRACE_API_URL: server.url, ...env } }
}
const run = (...args: string[]): Promise<Ended> => runInside(home, args)
const json = async (...args: string[]): Promise<Json> => {
  const { code, out, err } = await run(...args, '--json')
  if (code !== 0) throw new Error(`millrace ${args.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as Json
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-cli-e2e-'))
  server = await startServer()
  owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
  person = await signInByMail(server, 'ada@mill.example')
  home = await newContext()
  const { code, err } = await runCli(home, ['login', '--key'], owner.session_token)
  if (code !== 0) throw new Error(err)
})
afterAll(async () => {
  await server?.remove()
  await rm(folder, { recursive: true, force: true })
})

describe('signing in', () => {
  it('stores a credential readable only by its owner, and never prints it', async () => {
    expect(await json('whoami')).toMatchObject({
      api_url: server.url,
      login: 'session',
      user: { email: 'ada@mill.example' },
      team: { username: 'lab' },
    })
    const file = join(home.configDir, 'credentials.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { code, out, err } = await runCli(home, ['whoami'])
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('ada@mill.example in lab') })
    expect(out + err).not.toContain(owner.session_token)
  })

  it('retains the working credential if the server rejects the new key', async () => {
    const { code, err } = await runCli(home, ['login', '--key', `mill-${'x'.repeat(42)}`])
    expect(code).toBe(3)
    expect(err).toMatch(/^error: /)
    expect((await run('whoami')).code).toBe(0)
  })

  it('accepts the six digits of an approval, which only the requesting program can use', async () => {
    const context = await newContext()
    const login = startCli(context, ['login', '--json'])
    const code = await login.said(/code=([A-Z0-9]{4}-[A-Z0-9]{4})/)
    const { data } = await person.call('POST', '/device/auth/approve', { code, team_id: owner.team_id })
    const thief = await runCli(await newContext(), ['login', '--code', String(data.claim_code)])
    expect(thief.code).toBe(3)
    login.type(`${data.claim_code}\n`)
    const ended = await login.ended
    expect(ended).toMatchObject({ code: 0 })
    expect(JSON.parse(ended.out)).toMatchObject({ login: 'session', team: { username: 'lab' } })
  })

  it('can be completed by a second command without a terminal', async () => {
    const context = await newContext()
    const first = await runInside(context, ['login'])
    expect(first.code).toBe(3)
    const code = /code=([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(first.err)?.[1]
    const { data } = await person.call('POST', '/device/auth/approve', { code })
    expect((await runInside(context, ['login', '--code', '12'])).code).toBe(2)
    expect((await runInside(context, ['login', '--code', String(data.claim_code)])).code).toBe(0)
    expect((await runInside(context, ['login', '--code', String(data.claim_code)])).code).toBe(3)
    expect((await runInside(context, ['whoami'])).code).toBe(0)
  })

  it('changes the workspace of a session, not of a key', async () => {
    const context = await newContext()
    await runInside(context, ['login', '--key'], owner.session_token)
    const teams = JSON.parse((await runInside(context, ['workspace', 'list', '--json'])).out) as Json[]
    expect(teams.find(({ username }) => username === 'lab')).toMatchObject({ current: true })
    expect((await runInside(context, ['workspace', 'use', 'millrace'])).code).toBe(0)
    expect((await runInside(context, ['whoami', '--quiet'])).out).toBe('millrace\n')
    expect((await runInside(context, ['workspace', 'use', 'nowhere'])).code).toBe(1)
    const key = (await runInside(context, ['token'])).out.trim()
    const pinned = await newContext({ MILLRACE_API_KEY: key })
    expect((await runInside(pinned, ['workspace', 'use', 'lab'])).code).toBe(1)
    expect((await runInside(pinned, ['whoami', '--quiet'])).out).toBe('millrace\n')
  })

  it('prints a key for scripts that is valid for 15 minutes and cannot create another', async () => {
    const minted = await json('token', '--scopes', 'apps:read')
    expect(minted).toMatchObject({ team_id: owner.team_id, scopes: ['apps:read'] })
    const livesMs = Date.parse(String(minted.expires_at)) - Date.now()
    expect(livesMs).toBeGreaterThan(0)
    expect(livesMs).toBeLessThanOrEqual(15 * 60_000)
    const script = await newContext({ MILLRACE_API_KEY: String(minted.key) })
    expect((await runInside(script, ['app', 'list'])).code).toBe(0)
    const again = await runInside(script, ['token', '--json'])
    expect(again.code).toBe(3)
    expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'requires_sign_in', status: 403, exit_code: 3 } })
  })

  it('ends the session at the server when signing out', async () => {
    const extra = await signIn(server.dataDir, 'ada@mill.example', 'lab')
    const context = await newContext()
    await runInside(context, ['login', '--key'], extra.session_token)
    expect(JSON.parse((await runInside(context, ['logout', '--json'])).out)).toEqual({
      api_url: server.url,
      revoked: true,
    })
    expect((await runInside(context, ['whoami'])).code).toBe(3)
    const kept = await newContext({ MILLRACE_API_KEY: extra.session_token })
    expect((await runInside(kept, ['whoami'])).code).toBe(3)
  })
})

const copyApp = `
import { readFile, writeFile, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
const file = { type: 'string', format: 'file' }
export const RunInput = { type: 'object', properties: { doc: file, handle: { type: 'string' } }, required: ['doc'] }
export const RunOutput = { type: 'object', properties: { copy: file, handle: { type: 'string' } } }
export class App {
  async run({ doc, handle }) {
    const path = join(await mkdtemp(join(tmpdir(), 'copy-')), 'copy of it.txt')
    await writeFile(path, (await readFile(doc.path ?? doc, 'utf8')).toUpperCase())
    return { copy: { path, content_type: 'text/plain' }, handle }
  }
}
`

describe('deploying and running', () => {
  it('goes from an empty folder to an output', async () => {
    expect(await json('app', 'create', 'greeter')).toMatchObject({ name: 'greeter', language: 'node' })
    expect((await run('app', 'create', 'greeter')).code).toBe(1)
    expect((await run('app', 'create', 'Ünï cøde')).err).toContain("millrace deploy 'Ünï cøde'\n")
    const first = await json('deploy', 'greeter')
    expect(first).toMatchObject({ ref: 'lab/greeter', active: true, functions: ['run'] })
    const done = await json('run', 'lab/greeter', '-i', '{"name":"Ada"}', '--wait')
    expect(done).toMatchObject({ status: 10, output: { greeting: 'Hello, Ada!' }, app_version_id: first.version_id })
    const logs = await run('task', 'logs', String(done.id))
    expect(logs.out).toContain('greeting Ada\n')
    expect(await json('task', 'show', String(done.short_id))).toMatchObject({ id: done.id })
  })

  it('calls any operation by name, and follows streams', async () => {
    const { items } = (await json('api', 'apps.list', '--limit', '1')) as { items: Json[] }
    expect(items).toHaveLength(1)
    const ran = await run('api', 'tasks.run', '--app', 'lab/greeter', '--input', '{"name":"Ada"}', '--stream')
    // A line is the whole task, or lists the changed fields.
    const line = JSON.parse(ran.out.trim().split('\n').at(-1) ?? '') as Json & { data?: Json }
    const last = line.data ?? line
    expect({ code: ran.code, last }).toMatchObject({ code: 0, last: { status: 10 } })
    // The stream of a finished task contains its final state and ends.
    const id = String((JSON.parse(ran.out.split('\n')[0] ?? '') as Json).id)
    expect(await json('api', 'tasks.stream', '--id', id)).toMatchObject({ id, status: 10 })
    expect((await run('api', 'tasks.get', '--id', id, '--jq', '.output.greeting')).out).toBe('Hello, Ada!\n')
  })

  it('holds a staged version back until it is promoted', async () => {
    const staged = await json('deploy', 'greeter', '--staged')
    expect(staged.active).toBe(false)
    const { items } = await json('app', 'versions', 'greeter')
    expect((items as Json[]).map(({ id, active }) => [id === staged.version_id, active])).toEqual([
      [true, false],
      [false, true],
    ])
    expect(await json('app', 'promote', 'lab/greeter', String(staged.version))).toMatchObject({
      version_id: staged.version_id,
    })
    const { items: apps } = await json('app', 'list', '--search', 'greeter')
    expect(apps).toMatchObject([{ name: 'greeter', version_id: staged.version_id }])
  })

  it('rejects a folder without an app before anything is sent', async () => {
    const broken = join(home.cwd, 'broken')
    await mkdir(broken)
    expect((await run('deploy', 'broken')).code).toBe(2)
    await writeFile(join(broken, 'inf.yml'), 'name: broken\nkernel: node-22\n')
    await writeFile(join(broken, 'inference.js'), 'throw new Error("cannot load")')
    const { code, err } = await run('deploy', 'broken')
    expect(code).toBe(1)
    expect(err).toContain('cannot load')
  })

  it('uploads local files of an input and saves the files of the output', async () => {
    const app = join(home.cwd, 'copier')
    await mkdir(app)
    await writeFile(join(app, 'inf.yml'), 'name: copier\nkernel: node-22\n')
    await writeFile(join(app, 'package.json'), '{"type":"module"}')
    await writeFile(join(app, 'inference.js'), copyApp)
    await writeFile(join(home.cwd, 'note.txt'), 'quiet words')
    await json('deploy', 'copier')
    const input = JSON.stringify({ doc: '@note.txt', handle: '@ada' })
    const done = await json('run', 'lab/copier', '-i', input, '--download', 'saved')
    expect(done).toMatchObject({ status: 10, output: { handle: '@ada' }, downloads: [{ field: 'copy', size: 11 }] })
    const [saved] = done.downloads as { path: string }[]
    expect(saved?.path).toContain(join(home.cwd, 'saved'))
    expect(await readFile(saved?.path ?? '', 'utf8')).toBe('QUIET WORDS')
    expect((await run('run', 'lab/copier', '-i', '{"doc":"@absent.txt"}')).code).toBe(2)
    const typed = await json('run', 'lab/copier', '-i', 'doc=@note.txt', '-i', 'handle=42', '--wait')
    expect(typed).toMatchObject({ status: 10, output: { handle: '42' } })
  })

  it('shows progress and logs separately from the output', async () => {
    const followed = await run('run', 'millrace/echo:log', '-i', '{"lines":["first","\\u001b[2Jsecond"]}', '--follow')
    expect(followed.code).toBe(0)
    expect(JSON.parse(followed.out)).toEqual({ lines: 2 })
    expect(followed.err).toContain('first\n\uFFFD[2Jsecond')
    expect(followed.err).toContain('completed\n')
    const events = await run(
      'run',
      'millrace/echo:words',
      '-i',
      '{"text":"one two","delay_ms":500}',
      '--follow',
      '--json',
    )
    const lines = events.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json)
    expect(lines.filter(({ kind }) => kind === 'delta')).toEqual([
      { kind: 'delta', delta: { response: 'one ' } },
      { kind: 'delta', delta: { response: 'two' } },
    ])
    expect(lines.at(-1)).toMatchObject({ status: 10, output: { response: 'one two' } })
  })

  it('retains a worker for the runs of a session', async () => {
    const first = await json('run', 'millrace/echo', '-i', '{}', '--session', 'new', '--wait')
    const second = await json('run', 'millrace/echo', '-i', '{}', '--session', String(first.session_id), '--wait')
    expect(second).toMatchObject({ session_id: first.session_id, worker_id: first.worker_id })
  })

  it('cancels a run; readers of the run and of its logs are notified', async () => {
    const started = (await run('run', 'millrace/echo:sleep', '-i', '{"ms":60000}')).out.trim()
    const waiting = run('task', 'wait', started)
    const reading = run('task', 'logs', '-f', started)
    expect((await json('task', 'list', '--limit', '1')).items).toMatchObject([{ id: started }])
    await untilStatus(started, 7)
    expect(await json('task', 'cancel', started)).toMatchObject({ id: started })
    expect((await waiting).code).toBe(5)
    expect((await reading).code).toBe(5)
    expect(await json('task', 'list', '--status', 'cancelled')).toMatchObject({ items: [{ id: started }] })
  })

  it('leaves a run alone if the waiting command is interrupted, and says how to cancel it', async () => {
    const waiting = startCli(home, ['run', 'millrace/echo:sleep', '-i', '{"ms":60000}', '--follow'])
    const id = await waiting.said(/Task (\w+)\n(?:.*\n)*?running/)
    waiting.child.kill('SIGINT')
    expect(await waiting.ended).toMatchObject({ code: 130, err: expect.stringContaining(`millrace task cancel ${id}`) })
    expect(await json('task', 'cancel', id)).toMatchObject({ id })
  })

  it.each<[string, string[], number]>([
    ['a run that fails', ['run', 'millrace/echo:fail', '--wait'], 4],
    ['an app that is not there', ['run', 'lab/nothing', '--wait'], 1],
    ['an input the schema refuses', ['run', 'lab/greeter', '--wait'], 1],
    ['an input that is no JSON', ['run', 'lab/greeter', '-i', 'x'], 2],
    ['an app whose name was mistyped', ['run', 'lab/greetre', '-i', 'name=Ada'], 1],
    ['a task that is not there', ['task', 'show', '0000'], 1],
    ['a server one is not signed in to', ['whoami', '--api', 'http://127.0.0.1:9'], 3],
  ])('%s', async (_claim, words, code) => expect((await run(...words)).code).toBe(code))
})

describe('other commands', () => {
  it('apps are shown, listed and deleted', async () => {
    expect(await json('app', 'show', 'greeter')).toMatchObject({ name: 'greeter', namespace: 'lab' })
    const shown = await run('app', 'show', 'lab/greeter')
    expect(shown.out).toMatch(/^:run +name\*$/m)
    expect((await run('app', 'store', '--jq', '.items[].name')).out).toContain('word-count\n')
    expect((await run('app', 'delete', 'lab/copier')).code).toBe(2)
    expect(await json('app', 'delete', 'lab/copier', '--yes')).toMatchObject({ name: 'lab/copier', deleted: true })
    const missing = await run('app', 'show', 'lab/greetre')
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('Did you mean lab/greeter?') })
  })

  it('rows for a pipe are separated by tabs, without headings', async () => {
    const [row = ''] = (await run('task', 'list', '--limit', '1')).out.trimEnd().split('\n')
    expect(row.split('\t')).toEqual([
      expect.stringMatching(/^\w{8}$/),
      expect.any(String),
      expect.stringMatching(/^\d+[smh]$/),
      expect.stringMatching(/\d+(\.\d)?m?s/),
      expect.stringContaining('/'),
    ])
  })

  it('creates, updates, lists and deletes secrets without showing their values', async () => {
    const write = (verb: string, value: string) => runInside(home, ['secret', verb, 'SHOP_TOKEN', '--json'], value)
    expect((await write('update', 'no-value\n')).code).toBe(1)
    expect(JSON.parse((await write('create', 'first-value\n')).out)).toMatchObject({ key: 'SHOP_TOKEN', version: 1 })
    expect((await write('create', 'other-value\n')).code).toBe(1)
    expect(JSON.parse((await write('update', 'second-value\n')).out)).toMatchObject({ key: 'SHOP_TOKEN', version: 2 })
    expect((await run('secret', 'show', 'SHOP_TOKEN')).out).not.toContain('second-value')
    const listed = await run('secret', 'list', '--json')
    expect(listed.out).toContain('SHOP_TOKEN')
    expect(listed.out).not.toContain('second-value')
    expect((await run('api', 'secrets.reveal', '--key', 'SHOP_TOKEN', '--jq', '.value')).out).toBe('second-value\n')
    expect(await json('secret', 'delete', 'SHOP_TOKEN', '--yes')).toMatchObject({ name: 'SHOP_TOKEN', deleted: true })
  })

  it('creates, uses, replaces and deletes keys', async () => {
    const made = await json('key', 'create', 'bot', '--scopes', 'apps:read', '--expires-in', '1d')
    const context = await newContext({ MILLRACE_API_KEY: String(made.key) })
    expect((await runInside(context, ['app', 'list', '--json'])).code).toBe(0)
    expect((await runInside(context, ['secret', 'list'])).code).toBe(3)
    expect((await run('key', 'list')).out).toContain('\tbot\t')
    expect(await json('key', 'show', 'bot')).toMatchObject({ id: made.id, name: 'bot' })
    const { key } = await json('key', 'update', 'bot', '--grace', '10m')
    expect(key).not.toBe(made.key)
    expect((await runInside(context, ['app', 'list'])).code).toBe(0)
    expect(await json('key', 'delete', 'bot', '--yes')).toMatchObject({ id: made.id })
    expect((await runInside(context, ['app', 'list'])).code).toBe(3)
  })

  it('creates, lists and deletes connections', async () => {
    const connected = await runInside(home, ['connection', 'create', 'openai', '--json'], 'sk-abc')
    expect(JSON.parse(connected.out)).toMatchObject({ provider: 'openai', status: 'connected' })
    expect((await run('connection', 'list', '--jq', '.[] | select(.credential) | .slug')).out).toBe('openai\n')
    expect((await run('connection', 'create', 'opneai')).err).toContain('Did you mean openai?')
    expect((await run('connection', 'create', 'openai')).err).toContain('--field OPENAI_API_KEY=')
    expect(await json('connection', 'show', 'openai')).toMatchObject({ provider: 'openai' })
    expect((await run('connection', 'delete', 'openai', '--yes')).code).toBe(0)
  })

  it('creates, changes, runs and deletes flows', async () => {
    const app = await json('app', 'show', 'lab/greeter')
    const graph = {
      nodes: [
        { id: 'in', type: 'inputNode', position: { x: 0, y: 0 } },
        { id: 'greet', type: 'appNode', position: { x: 1, y: 0 } },
        { id: 'out', type: 'outputNode', position: { x: 2, y: 0 } },
      ],
      edges: [
        { id: 'a', source: 'in', target: 'greet' },
        { id: 'b', source: 'greet', target: 'out' },
      ],
      node_data: { greet: { app_id: app.id } },
      input: { greet: { name: { connection: { nodeId: 'in', key: 'who' } } } },
      input_schema: { type: 'object', properties: { who: { type: 'string' } } },
      output_mappings: { said: { sourceNodeId: 'greet', sourceFieldPath: 'greeting', outputFieldName: 'said' } },
    }
    await writeFile(join(home.cwd, 'graph.json'), JSON.stringify(graph))
    expect(await json('flow', 'create', 'greeting', '--file', 'graph.json')).toMatchObject({ name: 'greeting' })
    expect(await json('flow', 'update', 'greeting', '--title', 'Greeting')).toMatchObject({ title: 'Greeting' })
    expect((await run('flow', 'show', 'lab/greeting')).out).toContain('greet\tappNode')
    const ended = await json('flow', 'run', 'greeting', '-i', 'who=42', '--wait')
    expect(ended).toMatchObject({ status: 3, output: { said: 'Hello, 42!' } })
    const runs = await json('flow', 'runs', 'lab/greeting')
    expect(runs.items).toMatchObject([{ id: ended.id }])
    expect(await json('flow', 'wait', String(ended.id))).toMatchObject({ output: { said: 'Hello, 42!' } })
    await json('flow', 'create', 'draft')
    expect((await run('flow', 'delete', 'draft')).code).toBe(2)
    expect(await json('flow', 'delete', 'draft', '--yes')).toMatchObject({ name: 'lab/draft', deleted: true })
  })

  it('creates, fires, changes and deletes triggers', async () => {
    const made = await json('trigger', 'create', 'now', '--app', 'lab/greeter', '-i', 'name=Eve')
    const fired = await json('trigger', 'fire', 'now')
    expect(await json('task', 'wait', String(fired.task_id))).toMatchObject({ output: { greeting: 'Hello, Eve!' } })
    expect(await json('trigger', 'events', String(made.short_id))).toMatchObject({
      items: [{ task_id: fired.task_id }],
    })
    expect(await json('trigger', 'disable', 'now')).toMatchObject({ id: made.id, enabled: false })
    expect((await run('trigger', 'fire', 'nwo')).err).toContain('Did you mean now?')
    const hook = await run('trigger', 'create', 'hook', '--app', 'lab/greeter', '--webhook', 'generic')
    expect(hook.out).toContain('/triggers/')
    expect((await run('trigger', 'create', 'two', '--app', 'lab/greeter', '--cron', '@daily', '--at', 'x')).code).toBe(
      2,
    )
    const refused = async (...when: string[]) => (await run('trigger', 'create', 'x', '--app', 'greeter', ...when)).err
    expect(await refused('--webhook', 'githbu')).toMatch(/Webhook source githbu not found\nhint: Did you mean github/)
    expect(await refused('--at', 'yesterday')).toMatch(/--at must be a time in the future, such as 20/)
    await json(
      'trigger',
      'create',
      'daily',
      '--app',
      'lab/greeter',
      '--cron',
      '0 3 * * *',
      '--timezone',
      'Europe/Berlin',
    )
    expect(await json('trigger', 'update', 'daily', '--cron', '0 4 * * *', '--name', 'early')).toMatchObject({
      name: 'early',
      config: { expression: '0 4 * * *', timezone: 'Europe/Berlin' },
    })
    expect((await run('trigger', 'update', 'early')).err).toContain('Nothing to change')
    expect(await json('trigger', 'delete', String(made.id), '--yes')).toMatchObject({ deleted: true })
  })

  it('pages have URLs', async () => {
    expect(await json('open', 'docs')).toEqual({ url: `${server.url}/docs` })
    expect(await json('open', 'greeter')).toEqual({ url: `${server.url}/console/apps/lab/greeter` })
    expect((await run('open', 'greeting')).out).toMatch(/\/console\/flows\/\w{26}\n$/)
    expect((await run('open', 'hook')).out).toMatch(/\/console\/triggers\/\w{26}\n$/)
    expect((await run('open', 'greetign')).err).toContain('Page greetign not found\nhint: Did you mean greeting?')
    const { items } = (await json('task', 'list', '--limit', '1')) as { items: Json[] }
    expect(await json('open', String(items[0]?.short_id))).toEqual({
      url: `${server.url}/console/runs/${items[0]?.id}`,
    })
  })

  it.each([
    [['run', 'echo'], 'Did you mean millrace/echo?'],
    [['run', 'greeter:rnu', '-i', 'name=Ada'], 'Function rnu not found\nhint: Did you mean run?'],
    [['run', 'greeter@nope'], '`millrace app versions greeter` lists the versions'],
    [['flow', 'run', 'greetign'], 'Did you mean greeting?'],
    [['agent', 'run', 'lab/helpre', 'hello'], 'Did you mean lab/helper?'],
  ])('%s gets suggestions', async (words, says) => {
    await run('agent', 'create', 'helper', '--model', 'millrace/echo')
    const { code, err } = await run(...words)
    expect(err).toContain(says)
    expect(code).toBe(1)
  })

  it('creates, lists, changes and deletes agents', async () => {
    await writeFile(join(home.cwd, 'poet.md'), 'Write in verse')
    await json('agent', 'create', 'poet', '--model', 'millrace/echo', '--instructions', 'poet.md')
    expect((await run('agent', 'list')).out).toContain('lab/poet\tmillrace/echo\t')
    const words = ['--description', 'Writes poems', '--visibility', 'workspace']
    expect(await json('agent', 'update', 'poet', ...words)).toMatchObject({
      visibility: 'team',
      version: { description: 'Writes poems', system_prompt: 'Write in verse' },
    })
    expect((await run('agent', 'show', 'poet')).out).toContain('Write in verse')
    expect(await json('agent', 'delete', 'lab/poet', '--yes')).toMatchObject({ deleted: true })
    expect((await run('agent', 'show', 'poet')).code).toBe(1)
  })

  it('creates, changes and deletes projects by name', async () => {
    await json('project', 'create', 'Spring launch', '--type', 'agent')
    await json('project', 'create', 'Posters', '--parent', 'Spring launch')
    const [spring, posters] = [await json('project', 'show', 'Spring launch'), await json('project', 'show', 'Posters')]
    expect(posters.parent_id).toBe(spring.id)
    expect(await json('project', 'update', 'Posters', '--parent', '-', '--name', 'Flyers')).toMatchObject({
      name: 'Flyers',
    })
    for (const name of ['Flyers', 'Spring launch'])
      expect(await json('project', 'delete', name, '--yes')).toMatchObject({ name, deleted: true })
  })

  it('creates, changes and deletes artifacts and knowledge entries', async () => {
    await writeFile(join(home.cwd, 'notes.md'), '# First')
    expect((await run('artifact', 'create', 'notes.md')).code).toBe(0)
    expect((await run('artifact', 'create', 'notes.md')).err).toContain('lab/notes already exists')
    await writeFile(join(home.cwd, 'notes.md'), '# Second')
    expect((await run('artifact', 'update', 'notes', 'notes.md')).code).toBe(0)
    expect((await run('artifact', 'show', 'lab/notes')).out).toBe('# Second\n')
    expect(await json('artifact', 'delete', 'notes', '--yes')).toMatchObject({ deleted: true })
    await json('knowledge', 'create', 'notes', 'notes.md', '--description', 'Notes')
    await json('knowledge', 'update', 'notes', '--description', 'Better notes')
    expect(await json('knowledge', 'show', 'notes')).toMatchObject({ description: 'Better notes' })
    expect(await json('knowledge', 'delete', 'notes', '--yes')).toMatchObject({ name: 'lab/notes', deleted: true })
  })

  it('an app is found by the name in its manifest', async () => {
    expect(await json('app', 'show', 'Greeter.')).toMatchObject({ name: 'greeter' })
  })

  it('the doctor reports what works and what does not', async () => {
    expect(await json('doctor')).toMatchObject({ healthy: true })
    expect((await run('doctor', '--api', 'http://127.0.0.1:9')).code).toBe(6)
    expect(await runInside(await newContext(), ['doctor'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('millrace login'),
    })
  })
})

const untilStatus = async (id: string, status: number): Promise<void> => {
  while ((await json('task', 'show', id)).status !== status) await sleep(100)
}

describe('files', () => {
  it('are uploaded and downloaded, by URL and by id', async () => {
    await writeFile(join(home.cwd, 'data.csv'), 'a,b\n')
    const file = await json('file', 'upload', 'data.csv')
    expect(file).toMatchObject({ filename: 'data.csv', content_type: 'text/csv', size: 4 })
    const byAddress = await json('file', 'download', String(file.uri))
    expect(byAddress).toMatchObject({ path: join(home.cwd, 'data-2.csv'), size: 4 })
    expect((await run('file', 'download', String(file.id), '-o', 'other.csv')).code).toBe(0)
    expect(await readFile(join(home.cwd, 'other.csv'), 'utf8')).toBe('a,b\n')
    expect((await run('file', 'download', String(file.id), '-o', 'other.csv')).code).toBe(1)
  })

  it('are listed', async () => {
    const { items } = (await json('file', 'list', '--limit', '3')) as { items: Json[] }
    expect(items.map(({ filename }) => filename)).toContain('data.csv')
  })

  it.each(['http://files.example/x', '/etc/hostname'])('are not fetched from %s', async (url) => {
    const { code, err } = await run('file', 'download', url, '--json')
    expect(code).toBe(1)
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'download_refused' } })
  })
})

describe('an own engine', () => {
  it('registers with its own key, runs tasks, and ends when drained', async () => {
    const cache = join(folder, 'engine')
    const engine = startCli(home, ['engine', 'start', '--name', 'second', '--workers', '1', '--cache-path', cache])
    try {
      const id = await runningEngine('second')
      const done = await json('run', 'lab/greeter', '-i', '{"name":"Eve"}', '--infra', 'private', '--wait')
      expect(done).toMatchObject({ output: { greeting: 'Hello, Eve!' }, engine_id: id })
      const key = JSON.parse(await readFile(join(home.configDir, 'engine-second.json'), 'utf8')) as { key: string }
      expect(engine.err()).not.toContain(key.key)
      expect(await json('engine', 'drain', id)).toMatchObject({ id })
      expect((await engine.ended).code).toBe(0)
    } finally {
      engine.child.kill('SIGTERM')
      await engine.ended
    }
  })

  it('stops in order after a signal', async () => {
    const cache = join(folder, 'engine')
    const engine = startCli(home, ['engine', 'start', '--name', 'second', '--cache-path', cache])
    const id = await runningEngine('second')
    engine.child.kill('SIGTERM')
    expect((await engine.ended).code).toBe(0)
    while ((await json('engine', 'stop', id)).status !== 'stopped') await sleep(50)
  })

  it('requests exactly the missing scopes', async () => {
    const post = async (path: string, body: object) =>
      (
        (await (
          await fetch(`${server.url}${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).json()) as { data: Json }
      ).data
    const { data: catalog } = (await (await fetch(`${server.url}/scopes`)).json()) as { data: { grants: string[] } }
    const device = await post('/device/auth', { token_kind: 'session' })
    await person.call('POST', '/device/auth/approve', {
      code: device.user_code,
      team_id: owner.team_id,
      scopes: catalog.grants,
    })
    const polled = (await (await fetch(`${server.url}/device/auth/poll/${device.device_code}`)).json()) as {
      data: Json
    }
    const context = await newContext()
    await runInside(context, ['login', '--key'], String(polled.data.session_token))

    // A script gets an error that names the missing scope and the command that adds it.
    const wider = await newContext()
    await runInside(wider, ['login', '--key'], String(polled.data.session_token))
    const refused = await runInside(wider, ['key', 'list'])
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('`millrace login --scopes apikeys:read`') })
    const login = startCli(wider, ['login', '--scopes', 'apikeys:read'])
    const { data: approved } = await person.call('POST', '/device/auth/approve', {
      code: await login.said(/code=([A-Z0-9]{4}-[A-Z0-9]{4})/),
      team_id: owner.team_id,
      scopes: [...catalog.grants, 'apikeys:read'],
    })
    login.type(`${approved.claim_code}\n`)
    expect(await login.ended).toMatchObject({ code: 0 })
    expect((await runInside(wider, ['key', 'list'])).code).toBe(0)

    const cache = join(folder, 'engine-asking')
    const engine = startCli(context, ['engine', 'start', '--name', 'asking', '--cache-path', cache])
    try {
      const scopes = (await engine.said(/needs (.+), which this sign-in/)).split(', ')
      expect(scopes).toContain('engines:write')
      const code = await engine.said(/Code: (\S+)/)
      await person.call('POST', '/device/auth/approve', { code, team_id: owner.team_id, scopes })
      await runningEngine('asking')
    } finally {
      engine.child.kill('SIGTERM')
      await engine.ended
    }
  })

  it('is rejected without the scope for engines', async () => {
    const { key } = await json('token', '--scopes', 'apps:read')
    const context = await newContext({ MILLRACE_API_KEY: String(key) })
    expect((await runInside(context, ['engine', 'start', '--name', 'third'])).code).toBe(3)
  })
})

const runningEngine = async (name: string): Promise<string> => {
  for (;;) {
    const { items } = await json('engine', 'list')
    const found = (items as Json[]).find((engine) => engine.name === name && engine.status === 'running')
    if (found) return String(found.id)
    await sleep(200)
  }
}
