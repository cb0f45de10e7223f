// Guarantees: the published client runs, watches, polls and cancels tasks on a real server with only its base URL
// changed.
import type { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, startGuest } from './guest.ts'
import { sdk, taskStatus } from './load.ts'

type Task = { id: string; status: number; output: Record<string, unknown>; error?: string; logs: { content: string }[] }

const { TaskStatusCancelled, TaskStatusCompleted, TaskStatusFailed, TaskStatusQueued, TaskStatusRunning } = taskStatus
const app = 'millrace/echo'

describe('the client runs tasks', () => {
  let guest: Guest
  beforeAll(async () => {
    guest = await startGuest()
  })
  afterAll(() => guest?.remove())

  const taskOf = async (id: string) => (await guest.client.getTask(id)).data as Task
  const settled = async (id: string, done: (task: Task) => boolean): Promise<Task> => {
    for (;;) {
      const task = await taskOf(id)
      if (done(task)) return task
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  it('runs and waits', async () => {
    const input = { text: 'hello', nested: { list: [1, null, true] } }
    const task = (await guest.client.run({ app, input })) as Task
    expect(task).toMatchObject({ status: TaskStatusCompleted, output: input, input })
    expect(await taskOf(task.id)).toMatchObject({ id: task.id, output: input, app: { name: 'echo' } })
  })

  // A slow app here and in the next test, because the client starts its stream after the run was accepted and misses
  // earlier output.
  it('receives every step of the output, in order', async () => {
    const counts: number[] = []
    const statuses: number[] = []
    const hear = (task: Task) => {
      statuses.push(task.status)
      const count = task.output?.count
      if (typeof count === 'number' && count !== counts.at(-1)) counts.push(count)
    }
    const task = (await guest.client.run(
      { app, function: 'count', input: { to: 5, delay_ms: 300 } },
      { onUpdate: hear, onPartialUpdate: hear },
    )) as Task
    expect(task.output).toEqual({ count: 5 })
    expect(counts).toEqual([1, 2, 3, 4, 5])
    expect(statuses).toEqual([...statuses].sort((a, b) => a - b))
    expect(statuses.at(-1)).toBe(TaskStatusCompleted)
  })

  it('receives deltas in order and before the end', async () => {
    const text = 'one two three four'
    const heard: { seq: number; text: string }[] = []
    const result = (await guest.client.run(
      { app: `${app}:words`, input: { text, delay_ms: 500 } },
      { onDelta: (delta: { response: string }, seq: number) => heard.push({ seq, text: delta.response }) },
    )) as Task
    expect(heard.map((delta) => delta.text).join('')).toBe(text)
    expect(heard.map((delta) => delta.seq)).toEqual([1, 2, 3, 4])
    expect(result.output).toEqual({ response: text })
  })

  it('polls instead of streaming', async () => {
    const polling = sdk.inference({
      apiKey: guest.apiKey,
      baseUrl: guest.server.url,
      stream: false,
      pollIntervalMs: 20,
    })
    for (const ms of [0, 120]) {
      const task = (await polling.run({ app, function: 'sleep', input: { ms } })) as Task
      expect(task).toMatchObject({ status: TaskStatusCompleted, output: { slept_ms: expect.any(Number) } })
    }
    await expect(polling.run({ app, function: 'fail', input: { message: 'as asked' } })).rejects.toThrow('as asked')
  })

  it('runs without waiting', async () => {
    const started = (await guest.client.run({ app, input: { a: 1 } }, { wait: false })) as Task
    expect([1, 2]).toContain(started.status)
    const ended = await settled(started.id, (task) => task.status >= TaskStatusCompleted)
    expect(ended).toMatchObject({ status: TaskStatusCompleted, output: { a: 1 } })
  })

  it('watches a task that has already ended', async () => {
    const started = (await guest.client.run({ app, input: { b: 2 } })) as Task
    const again = (await guest.client.tasks.watch({ id: started.id } as never).done) as Task
    expect(again).toMatchObject({ status: TaskStatusCompleted, output: { b: 2 } })
  })

  it('gets the reason of a failure', async () => {
    const input = { message: 'the reason' }
    const running = guest.client.run({ app, function: 'fail', input })
    await expect(running).rejects.toThrow('the reason')
    const { data } = await guest.client.tasks.list({
      filters: [
        { field: 'function', operator: 'eq', value: 'fail' },
        { field: 'status', operator: 'eq', value: TaskStatusFailed },
      ],
      limit: 1,
    })
    expect(data.items[0]).toMatchObject({ error: expect.stringContaining('the reason'), input })
  })

  it('cancels active and queued tasks', async () => {
    let id = ''
    const running = guest.client.run(
      { app, function: 'sleep', input: { ms: 60_000 } },
      {
        onUpdate: (task: Task) => {
          id = task.id
        },
      },
    )
    const ended = expect(running).rejects.toThrow('task cancelled')
    while (id === '') await new Promise((resolve) => setTimeout(resolve, 10))
    await settled(id, (task) => task.status === TaskStatusRunning)
    await guest.client.cancel(id)
    await ended
    expect(await taskOf(id)).toMatchObject({ status: TaskStatusCancelled })

    const runAt = new Date(Date.now() + 3_600_000).toISOString()
    const waiting = (await guest.client.run({ app, input: {}, run_at: runAt } as never, { wait: false })) as Task
    expect(await taskOf(waiting.id)).toMatchObject({ status: TaskStatusQueued })
    const { data } = (await guest.client.cancel(waiting.id)) as unknown as { data: Task }
    expect(data.status).toBe(TaskStatusCancelled)
    // A second cancel changes nothing.
    await guest.client.cancel(waiting.id)
  })

  it('follows a task by server-sent events', async () => {
    const started = (await guest.client.run(
      { app, function: 'count', input: { to: 3, delay_ms: 50 } },
      { wait: false },
    )) as Task
    const events = (await guest.client.streamTask(started.id)) as EventSource
    const updates: { status?: number; data?: { status?: number } }[] = []
    await new Promise<void>((resolve, reject) => {
      events.addEventListener('update', (event) => updates.push(JSON.parse(event.data)))
      events.addEventListener('done', () => resolve())
      events.onerror = (event) => reject(new Error(event.message))
    })
    events.close()
    expect(updates[0]).toMatchObject({ id: started.id, function: 'count' })
    expect(updates.at(-1)).toMatchObject({ status: TaskStatusCompleted, output: { count: 3 } })
  })

  it('reads logs, timings and telemetry', async () => {
    const lines = ['first line', 'second: ünïcode ✓']
    const task = (await guest.client.run({ app, function: 'log', input: { lines } })) as Task
    const { data: logs } = await guest.client.tasks.getLogs(task.id)
    const text = (logs.logs as { log_type: number; content: string }[])
      .map((log) => Buffer.from(log.content, 'base64').toString())
      .join('')
    for (const line of lines) expect(text).toContain(line)
    const { data: timings } = await guest.client.tasks.getTimings(task.id)
    expect(timings).toMatchObject({ task_id: task.id, total_duration: expect.stringMatching(/^[\d.]+s$/) })
    expect(timings.groups.map((group: { label: string }) => group.label)).toContain('run')
    expect((await guest.client.tasks.getTelemetry(task.id)).data).toEqual([])
  })

  it('shows, features and deletes tasks', async () => {
    const task = (await guest.client.run({ app, input: { shown: true } })) as Task
    const { data: shown } = await guest.client.tasks.updateVisibility(task.id, 'public')
    expect(shown).toMatchObject({ id: task.id, visibility: 'public' })
    await guest.person.tasks.feature(task.id, true)
    const filters = [{ field: 'function', operator: 'in', value: ['run', 'words'] }]
    const { data: featured } = await guest.client.tasks.listFeatured({ limit: 5, filters })
    expect(featured.items.map((item: Task) => item.id)).toEqual([task.id])
    await guest.client.tasks.delete(task.id)
    await expect(guest.client.tasks.get(task.id)).rejects.toMatchObject({ statusCode: 404 })
  })

  it('walks a filtered list by its cursor', async () => {
    const made: string[] = []
    for (let number = 0; number < 5; number += 1)
      made.push(((await guest.client.run({ app: `${app}:words`, input: { text: `${number}` } })) as Task).id)
    const seen: string[] = []
    let cursor = ''
    do {
      const { data } = await guest.client.tasks.list({
        limit: 2,
        cursor,
        filters: [
          { field: 'function', operator: 'eq', value: 'words' },
          { field: 'id', operator: 'in', value: made },
        ],
      })
      seen.push(...data.items.map((item: Task) => item.id))
      cursor = data.has_next ? data.next_cursor : ''
    } while (cursor !== '')
    expect(seen).toEqual(made.toReversed())
  })
})
