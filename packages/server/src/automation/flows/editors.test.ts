// Guarantees: concurrent editors never lose an acknowledged action. The answers in order of their versions replay to
// exactly the stored graph, and a stream reports the same sequence.
import type { Flow, FlowAction, FlowActionsResult } from '@millrace/contract/flows'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readStream } from '../../testing/read-stream.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { graphDto } from './dto.ts'
import { applyAction } from './graph/actions.ts'
import { emptyGraph, type Graph } from './graph/graph.ts'
import { graphAction } from './graph/testing/action-arbitrary.ts'
import { addNode, givenFlow, showFlow } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const editors: As[] = ['owner', 'admin', 'member', 'workspace-key:flows:write']
const batchesEach = 25

const batch = fc.oneof(
  { weight: 6, arbitrary: fc.array(graphAction, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant<FlowAction[]>([{ type: 'undo' }]) },
  { weight: 1, arbitrary: fc.constant<FlowAction[]>([{ type: 'redo' }]) },
)

const edit = async (as: As, flow: Flow, seed: number): Promise<FlowActionsResult[]> => {
  const answers: FlowActionsResult[] = []
  for (const actions of fc.sample(batch, { numRuns: batchesEach, seed })) {
    const answer = await world.call(as, `POST /flows/${flow.id}/actions`, { body: { actions } })
    expect([200, 422]).toContain(answer.status)
    answers.push(answer.status === 200 ? answer.data : (answer.json as FlowActionsResult))
  }
  return answers
}

const replay = (answers: readonly { actions: readonly FlowAction[] }[]): Graph =>
  answers
    .flatMap((answer) => answer.actions)
    .reduce((graph, action) => {
      const outcome = applyAction(graph, action)
      if ('error' in outcome) throw new Error(`${action.type}: ${outcome.error}`)
      return outcome.graph
    }, emptyGraph())

const graphOf = (flow: Flow): Graph => {
  const { nodes, edges, node_data, input, input_schema, output_schema, output_mappings } = flow
  const bare = Object.fromEntries(Object.entries(node_data).map(([id, { app: _app, ...data }]) => [id, data]))
  return { nodes, edges, node_data: bare, input, input_schema, output_schema, output_mappings }
}

it.each([1, 2, 3])('the stored graph equals the replay of all answers (seed %i)', async (seed) => {
  const flow = await showFlow(world, 'owner', await givenFlow(world, 'owner'), 'unlisted')
  const stream = await readStream(`${await world.listen()}/flows/${flow.id}/stream`, {})
  await stream.next()

  const answers = await Promise.all(editors.map((as, index) => edit(as, flow, seed * 100 + index)))
  const applied = answers
    .flat()
    .filter((answer) => answer.actions.length > 0)
    .sort((a, b) => a.version - b.version)
  expect(applied.map((answer) => answer.version)).toEqual(applied.map((_, index) => index + 1))

  const { data: stored } = await world.call('owner', `GET /flows/${flow.id}`)
  expect(graphOf(stored)).toEqual(graphDto(replay(applied)))
  expect(stored.draft_version.graph_version).toBe(applied.length)

  let seen: FlowActionsResult[] = []
  while (seen.length < applied.length) {
    const event = await stream.next()
    if (event?.event === 'actions') seen.push(event.data)
    else {
      // Two batches were announced in reverse order; the reader gets the current flow instead.
      expect(event?.event).toBe('update')
      seen = applied.slice(0, event?.data.draft_version.graph_version)
      expect(graphOf(event?.data)).toEqual(graphDto(replay(seen)))
    }
  }
  stream.close()
  expect(replay(seen)).toEqual(replay(applied))
})

it('a run that starts between two edits keeps its graph', async () => {
  const flow = await givenFlow(world, 'owner')
  const edits = Array.from({ length: 20 }, (_, index) => addNode(`n${index}`))
  const runs: Promise<void>[] = []
  for (const action of edits) {
    const edited = world.call('owner', `POST /flows/${flow.id}/actions`, { body: { actions: [action] } })
    const started = world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: {} } })
    runs.push(
      started.then(async ({ data: run, text, status }) => {
        expect(status, text).toBe(200)
        const { data: shown } = await world.call('owner', `GET /flowruns/${run.id}`)
        const ran = shown.flow_version.nodes.map((node: { id: string }) => node.id)
        expect(Object.keys(shown.node_statuses)).toEqual(ran)
      }),
    )
    expect((await edited).status).toBe(200)
  }
  await Promise.all(runs)
  const { data: stored } = await world.call('owner', `GET /flows/${flow.id}`)
  expect(stored.nodes).toHaveLength(edits.length)
})
