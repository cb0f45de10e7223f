// Guards: the published client makes flows, runs them, follows both of their streams, and runs a flow as an app.
import type { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, refused, startGuest } from './guest.ts'

type FlowRun = { id: string; status: number; output: Record<string, unknown> | null }

const completed = 3
const schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const position = { x: 0, y: 0 }
const connectTo = (nodeId: string, key: string) => ({ connection: { nodeId, key, type: 'string' } })

describe('flows', () => {
  let guest: Guest
  let flowId: string
  beforeAll(async () => {
    guest = await startGuest()
    const { data: flow } = await guest.client.flows.create('shout')
    flowId = flow.id
    const { data: echo } = await guest.client.apps.getByName('millrace/echo')
    const node = { app_id: echo.id, app_version_id: '', function: 'run', infra: 'cloud', workers: [] }
    const loud = { utility: { expression: 'input.text + "!"' } }
    const { status, body } = await guest.call(`POST /flows/${flowId}/actions`, {
      actions: [
        { type: 'node.add', payload: { id: 'in', type: 'inputNode', position, data: {} } },
        { type: 'node.add', payload: { id: 'echo', type: 'appNode', position, data: node } },
        { type: 'node.add', payload: { id: 'loud', type: 'utility', position, data: loud } },
        { type: 'flow.set_input_schema', payload: { schema } },
        { type: 'node.set_input', payload: { node_id: 'echo', input_key: 'text', input: connectTo('in', 'text') } },
        { type: 'node.set_input', payload: { node_id: 'loud', input_key: 'text', input: connectTo('echo', 'text') } },
        {
          type: 'flow.set_output_mapping',
          payload: {
            field: 'said',
            mapping: { sourceNodeId: 'loud', sourceFieldPath: 'value', outputFieldName: 'said', type: 'string' },
          },
        },
      ],
    })
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { errors: [] } } })
  })
  afterAll(() => guest?.remove())

  const runOf = async (id: string) => (await guest.client.flowRuns.get(id)).data as FlowRun
  const finished = async (id: string): Promise<FlowRun> => {
    for (;;) {
      const run = await runOf(id)
      if (run.status >= completed) return run
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
  const eventsUntilDone = async (source: Promise<EventSource | null>): Promise<Record<string, unknown>[]> => {
    const events = (await source) as EventSource
    const updates: Record<string, unknown>[] = []
    await new Promise<void>((resolve, reject) => {
      events.addEventListener('update', (event) => {
        const value = JSON.parse(event.data) as Record<string, unknown>
        updates.push(value.fields ? (value.data as Record<string, unknown>) : value)
      })
      events.addEventListener('done', () => resolve())
      events.onerror = (event) => reject(new Error(event.message))
    })
    events.close()
    return updates
  }

  it('are read, listed, renamed and duplicated', async () => {
    expect((await guest.client.flows.get(flowId)).data).toMatchObject({ id: flowId, name: 'shout' })
    const { data: listed } = await guest.client.flows.list({ limit: 10 } as never)
    expect(listed.items.map((flow: { id: string }) => flow.id)).toContain(flowId)
    const { data: copy } = await guest.client.flows.duplicate(flowId)
    expect(copy.id).not.toBe(flowId)
    expect(copy.nodes).toHaveLength(3)
    expect((await guest.client.flows.updateVisibility(copy.id, 'unlisted')).data).toMatchObject({
      visibility: 'unlisted',
    })
    await guest.client.flows.delete(copy.id)
    expect(await refused(guest.client.flows.get(copy.id))).toEqual({ status: 404, code: 'not_found' })
    const { data: versions } = await guest.client.flows.listVersions(flowId, { limit: 5 } as never)
    expect(versions.items.length).toBeGreaterThan(0)
  })

  it('run, and their runs are listed', async () => {
    const { data: made } = await guest.client.flowRuns.create(flowId, { text: 'hello' } as never)
    const run = await finished(made.id)
    expect(run).toMatchObject({ status: completed, output: { said: 'hello!' } })
    const { data: listed } = await guest.client.flowRuns.list({ limit: 10 } as never)
    expect(listed.items.map((item: { id: string }) => item.id)).toContain(made.id)
    const { data: clone } = await guest.client.flowRuns.clone(made.id)
    expect((await guest.client.flows.get(clone.id)).data).toMatchObject({ id: clone.id })
    expect(await refused(guest.client.flowRuns.create(flowId, {} as never))).toEqual({
      status: 400,
      code: 'validation_error',
    })
  })

  it('are followed by the stream of the run and of its tasks', async () => {
    const { data: made } = await guest.client.flowRuns.create(flowId, { text: 'streamed' } as never)
    const [updates, tasks] = await Promise.all([
      eventsUntilDone(guest.client.flowRuns.stream(made.id) as Promise<EventSource | null>),
      eventsUntilDone(guest.client.flowRuns.streamTasks(made.id) as Promise<EventSource | null>),
    ])
    expect(updates[0]).toMatchObject({ id: made.id })
    expect(updates.at(-1)).toMatchObject({ status: completed, output: { said: 'streamed!' } })
    expect(tasks.some((task) => task.status === 10)).toBe(true)
  })

  it('show a second editor each change', async () => {
    const events = (await guest.client.flows.stream(flowId)) as EventSource
    const heard: { actions: { type: string }[] }[] = []
    await new Promise<void>((resolve) => events.addEventListener('update', () => resolve()))
    const changed = new Promise<void>((resolve) => {
      events.addEventListener('actions', (event) => {
        heard.push(JSON.parse(event.data))
        resolve()
      })
    })
    await guest.call(`POST /flows/${flowId}/actions`, {
      actions: [{ type: 'node.move', payload: { id: 'echo', position: { x: 10, y: 20 } } }],
    })
    await changed
    events.close()
    expect(heard[0]?.actions.map((action) => action.type)).toEqual(['node.move'])
  })

  it('are cancelled', async () => {
    const { data: echo } = await guest.client.apps.getByName('millrace/echo')
    const { data: slow } = await guest.client.flows.create('slow')
    await guest.call(`POST /flows/${slow.id}/actions`, {
      actions: [
        {
          type: 'node.add',
          payload: { id: 'sleep', type: 'appNode', position, data: { app_id: echo.id, function: 'sleep' } },
        },
        { type: 'node.set_input', payload: { node_id: 'sleep', input_key: 'ms', input: 60_000 } },
      ],
    })
    const { data: made } = await guest.client.flowRuns.create(slow.id, {} as never)
    await guest.client.flowRuns.cancel(made.id)
    expect(await finished(made.id)).toMatchObject({ status: 5 })
  })

  it('run as an app', async () => {
    const { data: app } = await guest.client.flows.createApp(flowId)
    const task = await guest.client.run({ app: `${app.namespace}/${app.name}`, input: { text: 'as an app' } } as never)
    expect(task).toMatchObject({ status: 10, output: { said: 'as an app!' } })
  })
})
