// Guarantees: the published client creates, edits, runs, follows, clones and deploys flows on a real server with only
// its base URL changed. Graph actions, which have no method, use plain requests.
import type { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, refused, startGuest } from './guest.ts'

type Run = {
  id: string
  status: number
  error?: string
  output: unknown
  node_tasks: Record<string, { task_id: string; task: { output: unknown } | null }>
  node_statuses?: Record<string, string>
}

type Graph = Record<string, { type: string; data?: object; inputs?: Record<string, unknown> }>

const from = (nodeId: string, key = '') => ({ connection: { nodeId, key, type: '' } })

describe('the client and flows', () => {
  let guest: Guest
  let echoId: string
  beforeAll(async () => {
    guest = await startGuest()
    const { body } = await guest.call('GET /apps/millrace/echo')
    echoId = (body.data as { id: string }).id
  })
  afterAll(() => guest?.remove())

  const act = async (flowId: string, actions: object[]) => {
    const answer = await guest.call(`POST /flows/${flowId}/actions`, { actions })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    return answer.body.data as { version: number }
  }

  const givenFlow = async (name: string, nodes: Graph) => {
    const { data: flow } = await guest.client.flows.create(name)
    const position = { x: 0, y: 0 }
    await act(flow.id, [
      ...Object.entries(nodes).map(([id, { type, data }]) => ({
        type: 'node.add',
        payload: { id, type, position, data },
      })),
      ...Object.entries(nodes).flatMap(([node_id, { inputs = {} }]) =>
        Object.entries(inputs).map(([input_key, input]) => ({
          type: 'node.set_input',
          payload: { node_id, input_key, input },
        })),
      ),
    ])
    return flow
  }

  const greeting = (): Graph => ({
    in: { type: 'inputNode' },
    hello: {
      type: 'utility',
      data: { utility: { expression: '"hello " + input.who' } },
      inputs: { who: from('in', 'who') },
    },
    said: { type: 'appNode', data: { app_id: echoId }, inputs: { text: from('hello') } },
    out: { type: 'outputNode', inputs: { text: from('said', 'text') } },
  })

  const ended = async (id: string): Promise<Run> => {
    for (;;) {
      const run = (await guest.client.flowRuns.get(id)).data as unknown as Run
      if (run.status > 2) return run
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Every event with these names until the end of the stream. */
  const follow = (source: EventSource | null, names: readonly string[]) =>
    new Promise<{ name: string; data: Record<string, unknown> }[]>((resolve, reject) => {
      const heard: { name: string; data: Record<string, unknown> }[] = []
      if (!source) return reject(new Error('no stream'))
      for (const name of names)
        source.addEventListener(name, (event) => heard.push({ name, data: JSON.parse(event.data) }))
      source.addEventListener('done', () => {
        source.close()
        resolve(heard)
      })
    })

  it('runs a flow of an expression and an app', async () => {
    const flow = await givenFlow('greeting', greeting())
    const { data: started } = await guest.client.flowRuns.create(flow.id, { who: 'world' })
    const run = await ended(started.id)
    expect(run, run.error).toMatchObject({ status: 3, output: { text: 'hello world' } })
    expect(run.node_statuses).toEqual({ in: 'completed', hello: 'completed', said: 'completed', out: 'completed' })
    expect(run.node_tasks.said?.task?.output).toEqual({ text: 'hello world' })
    const { data: page } = await guest.client.flowRuns.list({
      filters: [{ field: 'flow_id', operator: 'eq', value: flow.id }],
    } as never)
    expect(page.items.map((item: { id: string }) => item.id)).toEqual([run.id])
    await guest.client.flowRuns.update(run.id, { metadata: { seen: true } } as never)
    const { data: shown } = await guest.client.flowRuns.updateVisibility(run.id, 'public')
    expect(shown).toMatchObject({ visibility: 'public', metadata: { seen: true } })
  })

  it('follows a run and its tasks to the end', async () => {
    const flow = await givenFlow('followed', {
      first: { type: 'appNode', data: { app_id: echoId, function: 'sleep' }, inputs: { ms: 300 } },
      second: { type: 'appNode', data: { app_id: echoId }, inputs: { slept: from('first', 'slept_ms') } },
      out: { type: 'outputNode', inputs: { result: from('second') } },
    })
    const { data: started } = await guest.client.flowRuns.create(flow.id, {})
    const [run, tasks] = await Promise.all([
      follow((await guest.client.flowRuns.stream(started.id)) as EventSource | null, ['update']),
      follow((await guest.client.flowRuns.streamTasks(started.id)) as EventSource | null, ['update']),
    ])
    expect(run[0]?.data).toMatchObject({ id: started.id, status: 2 })
    expect(run.at(-1)?.data).toMatchObject({ status: 3, output: { result: { slept: expect.any(Number) } } })
    const ids = new Set(tasks.map(({ data }) => (data.id ?? (data.data as { id: string }).id) as string))
    expect(ids.size).toBe(2)
  })

  it('cancels a run, and its task stops', async () => {
    const flow = await givenFlow('cancelled', {
      long: { type: 'appNode', data: { app_id: echoId, function: 'sleep' }, inputs: { ms: 60_000 } },
    })
    const { data: started } = await guest.client.flowRuns.create(flow.id, {})
    await guest.client.flowRuns.cancel(started.id)
    const run = await ended(started.id)
    expect(run).toMatchObject({ status: 5, node_statuses: { long: 'cancelled' } })
    const taskId = run.node_tasks.long?.task_id ?? ''
    for (;;) {
      const { data: task } = (await guest.client.getTask(taskId)) as { data: { status: number } }
      if (task.status === 12) break
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })

  it('a failed step fails the run, and a rerun continues from there', async () => {
    const flow = await givenFlow('failing', {
      first: { type: 'appNode', data: { app_id: echoId }, inputs: { n: 1 } },
      bad: {
        type: 'appNode',
        data: { app_id: echoId, function: 'fail' },
        inputs: { message: 'on purpose', n: from('first', 'n') },
      },
    })
    const { data: started } = await guest.client.flowRuns.create(flow.id, {})
    const run = await ended(started.id)
    expect(run).toMatchObject({ status: 4, error: expect.stringContaining('on purpose') })
    const { body } = await guest.call(`POST /flowruns/${run.id}/rerun`)
    const again = await ended((body.data as Run).id)
    expect(again).toMatchObject({ status: 4, origin_run_id: run.id })
    expect(again.node_tasks.first?.task_id).toBe(run.node_tasks.first?.task_id)
  })

  it('edits while another client streams', async () => {
    const flow = await givenFlow('watched', { a: { type: 'merge' } })
    const source = (await guest.client.flows.stream(flow.id)) as EventSource
    const heard: { name: string; data: { version?: number; title?: string } }[] = []
    for (const name of ['update', 'actions'])
      source.addEventListener(name, (event) => heard.push({ name, data: JSON.parse(event.data) }))
    const until = async (count: number) => {
      while (heard.length < count) await new Promise((resolve) => setTimeout(resolve, 10))
    }
    await until(1)
    const { version } = await act(flow.id, [{ type: 'node.rename', payload: { old_id: 'a', new_id: 'b' } }])
    await until(2)
    await guest.client.flows.update(flow.id, { title: 'Seen' } as never)
    await until(3)
    source.close()
    expect(heard.map(({ name }) => name)).toEqual(['update', 'actions', 'update'])
    expect(heard[1]?.data.version).toBe(version)
    expect(heard[2]?.data.title).toBe('Seen')
  })

  it('deploys a flow as an app that runs like any app', async () => {
    const flow = await givenFlow('packed', greeting())
    const { data: app } = await guest.client.flows.createApp(flow.id)
    expect(app).toMatchObject({ name: 'packed', category: 'flow' })
    const task = (await guest.client.run({ app: `${app.namespace}/${app.name}`, input: { who: 'mill' } })) as Run
    expect(task).toMatchObject({ status: 10, output: { text: 'hello mill' } })
  })

  it('copies, clones, shows and deletes', async () => {
    const flow = await givenFlow('original', greeting())
    const { data: copy } = await guest.client.flows.duplicate(flow.id)
    expect(copy).toMatchObject({ name: 'original-copy', visibility: 'private' })
    const { data: started } = await guest.client.flowRuns.create(flow.id, { who: 'you' })
    const { data: clone } = await guest.client.flowRuns.clone(started.id)
    expect((clone as unknown as { nodes: unknown[] }).nodes).toHaveLength(4)
    const { data: shown } = await guest.client.flows.updateVisibility(flow.id, 'unlisted')
    expect(shown.visibility).toBe('unlisted')
    const { data: versions } = await guest.client.flows.listVersions(flow.id)
    expect(versions.items.map((version: { id: string }) => version.id)).toEqual([shown.draft_version_id])
    const { data: page } = await guest.client.flows.list({ search: { term: 'original' } } as never)
    expect(page.items.map((item: { name: string }) => item.name)).toContain('original-copy')
    await guest.client.flows.delete(flow.id)
    expect(await refused(guest.client.flows.get(flow.id))).toEqual({ status: 404, code: 'not_found' })
  })
})
