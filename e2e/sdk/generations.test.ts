// Guarantees: clients of every published generation work with only their base URL changed: those that unwrap an
// envelope, those that request the bare resource with a header, and the Python client, which looks for `success` in
// every reply.
import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, startGuest } from './guest.ts'
import { sdk, taskStatus } from './load.ts'

type Task = { id: string; status: number; output: Record<string, unknown>; session_id?: string }
type Json = Record<string, unknown>

const hasPython = spawnSync('python3', ['--version']).status === 0
const app = 'millrace/echo'

let guest: Guest
beforeAll(async () => {
  guest = await startGuest()
})
afterAll(() => guest?.remove())

describe('the bare resource, requested by the header X-API-Version 2', () => {
  /** Clients of that generation return the body unchanged, so an envelope would be visible. */
  const bare = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await fetch(`${guest.server.url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${guest.apiKey}`,
        'x-api-version': '2',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const json = (await answer.json()) as Json
    if (!answer.ok) throw new Error(String(json.detail))
    return json
  }
  const ended = async (id: unknown): Promise<Json> => {
    for (;;) {
      const task = await bare('GET', `/tasks/${id}`)
      if ((task.status as number) >= taskStatus.TaskStatusCompleted) return task
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  it('runs, reads, lists and cancels', async () => {
    const started = await bare('POST', '/apps/run', { app, input: { a: 1 } })
    expect(await ended(started.id)).toMatchObject({ output: { a: 1 }, status: taskStatus.TaskStatusCompleted })
    expect(await bare('POST', '/tasks/list', { limit: 1 })).toMatchObject({ items: [{ id: started.id }] })
    const slow = await bare('POST', '/apps/run', { app, function: 'sleep', input: { ms: 60_000 } })
    await bare('POST', `/tasks/${slow.id}/cancel`)
    expect(await ended(slow.id)).toMatchObject({ status: taskStatus.TaskStatusCancelled })
  })

  it('uploads files', async () => {
    const files = (await bare('POST', '/files', {
      files: [{ uri: '', filename: 'a.txt', content_type: 'text/plain', size: 2 }],
    })) as unknown as { uri: string; upload_url: string }[]
    expect(files).toHaveLength(1)
    await fetch(files[0]?.upload_url ?? '', { method: 'PUT', body: 'hi', headers: { 'content-type': 'text/plain' } })
    expect(await (await fetch(files[0]?.uri ?? '')).text()).toBe('hi')
  })

  it('gets a rejection as a problem', async () => {
    await expect(bare('POST', '/apps/run', { app: 'nobody/nothing', input: {} })).rejects.toThrow(/\w/)
  })

  it('also works for the published client with the header', async () => {
    const client = sdk.createClient({
      getToken: () => guest.apiKey,
      baseUrl: guest.server.url,
      headers: { 'X-API-Version': '2' },
    })
    const statuses: number[] = []
    const task = (await client.run(
      { app, function: 'count', input: { to: 3, delay_ms: 20 } },
      { onUpdate: (update: Task) => statuses.push(update.status) },
    )) as Task
    expect(task).toMatchObject({ status: taskStatus.TaskStatusCompleted, output: { count: 3 } })
    expect(statuses.length).toBeGreaterThan(0)
    const { data: page } = await client.tasks.list({ limit: 1 })
    expect(page.items).toHaveLength(1)
    const first = (await client.run({ app, input: {}, session: 'new' } as never)) as unknown as Task
    const second = (await client.run({ app, input: {}, session: first.session_id } as never)) as unknown as Task
    expect(second.session_id).toBe(first.session_id)
    await client.sessions.end(first.session_id ?? '')
  })
})

describe.skipIf(!hasPython)('a client like the Python one', () => {
  it('runs, follows, uploads, uses a session and gets rejections', async () => {
    const script = fileURLToPath(new URL('python_client.py', import.meta.url))
    const { stdout } = await promisify(execFile)('python3', [script, guest.server.url, guest.apiKey])
    expect(JSON.parse(stdout)).toEqual({
      me: true,
      events: { a: 1 },
      lines: { count: 3 },
      failed: expect.stringContaining('as asked'),
      cancelled: taskStatus.TaskStatusCancelled,
      file: { filename: 'words.txt', size: 14 },
      counted: 3,
      page: 2,
      missing_app: 404,
      missing_task: 404,
      session: { same: true, kept: 'active', listed: true, after: 'ended' },
    })
  })
})

describe('event streams', () => {
  type Listener = (data: Json) => void
  type Manager = { addEventListener(name: string, listener: Listener): void; connect(): Promise<void>; stop(): void }
  /** Exported, but its type files omit extensions. */
  const { StreamManager } = sdk as unknown as { StreamManager: new (options: object) => Manager }

  it('StreamManager, which listens to events without a name, follows a task to its end', async () => {
    const client = new sdk.Inference({ apiKey: guest.apiKey, baseUrl: guest.server.url })
    const task = await client.run({ app, input: { text: 'streamed' } } as never, { wait: false })
    const shown: Json = {}
    const named: Json = {}
    const ended = new Promise<void>((resolve, reject) => {
      const manager = new StreamManager({
        createEventSource: () => client.tasks.stream(task.id),
        onData: (data: Json) => Object.assign(shown, data),
        onPartialData: (data: Json) => Object.assign(shown, data),
        onError: reject,
        autoReconnect: false,
      })
      manager.addEventListener('update', (data) => Object.assign(named, data))
      manager.addEventListener('done', () => {
        manager.stop()
        resolve()
      })
      manager.connect().catch(reject)
    })
    await ended
    expect(shown).toMatchObject({ id: task.id, status: taskStatus.TaskStatusCompleted, output: { text: 'streamed' } })
    expect(named).toMatchObject({ id: task.id, status: taskStatus.TaskStatusCompleted })
  })
})
