// Guarantees: for any graph that the actions accept and any input, there is never a server error or a run that waits
// for nothing, and the log rebuilds the rows.
import type { FlowRunEvent } from '@millrace/contract/flow-runs'
import type { FlowAction } from '@millrace/contract/flows'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { graphAction } from '../flows/graph/testing/action-arbitrary.ts'
import { givenFlow } from '../flows/testing/given.ts'
import { rebuild } from './engine/events.ts'
import { toRunState } from './node-rows.ts'
import { loadAllNodes } from './node-store.ts'
import { loadPlan } from './plans.ts'
import * as store from './store.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const nodeId = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const value = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1.5, true, '', 'text', [], {}, [1, 'x', null], { connection: null }),
  fc.record({ connection: fc.record({ nodeId, key: fc.constantFrom('', 'value', 'x') }) }),
)
const config = fc.oneof(
  fc.record({
    expression: fc.constantFrom('input', 'input.x', 'input.x + 1', '1 +', 'input.x.map(y, [y, y])', '"\\u0000"'),
  }),
  fc.record({ preset: fc.constantFrom('gate', 'selector', 'merge', 'constant', 'none') }),
  fc.record({
    preset: fc.constant('gate'),
    gate: fc.record({ field: fc.constant('x'), operator: fc.constantFrom('gt', 'eq') }),
  }),
  fc.record({ preset: fc.constant('constant'), random: fc.constant(true), random_min: fc.constantFrom(5, 0.5, 1e300) }),
)
const utility = fc.record({
  type: fc.constant('node.add'),
  payload: fc.record({ id: nodeId, type: fc.constant('utility'), data: fc.record({ utility: config }) }),
})
const wire = fc.record({
  type: fc.constant('node.set_input'),
  payload: fc.record({ node_id: nodeId, input_key: fc.constantFrom('x', 'y'), input: value }),
})
const actions = fc.array(fc.oneof(graphAction, utility, wire) as fc.Arbitrary<FlowAction>, {
  minLength: 5,
  maxLength: 40,
})
const runInput = fc.oneof(
  fc.dictionary(fc.constantFrom('x', 'y', 'n'), value, { maxKeys: 3 }),
  fc.dictionary(nodeId, fc.dictionary(fc.constantFrom('x', 'y'), value), { minKeys: 1, maxKeys: 3 }),
)

const expectSound = async (runId: string): Promise<void> => {
  const { db } = world.open.platform
  const run = await store.findRun(db, runId)
  if (!run) throw new Error('no run')
  const { plan } = await loadPlan(db, run.flow_version_id, run.graph_version)
  const { data: events } = await world.call('owner', `GET /flowruns/${runId}/events`, { query: { limit: '10000' } })
  const log: FlowRunEvent[] = events.map((row: { event: FlowRunEvent }) => row.event)
  expect(rebuild(plan, log)).toEqual(toRunState(plan, run, await loadAllNodes(db, runId)))
  // There are no apps, so no run can be waiting.
  expect(run.status).toBeGreaterThan(2)
}

it('forty graphs, each run three times', async () => {
  for (const [index, given] of fc.sample(actions, { numRuns: 40, seed: 11 }).entries()) {
    const flow = await givenFlow(world, 'owner')
    for (const action of given) {
      const answer = await world.call('owner', `POST /flows/${flow.id}/actions`, { body: { actions: [action] } })
      expect([200, 422], answer.text).toContain(answer.status)
    }
    for (const input of fc.sample(runInput, { numRuns: 3, seed: index })) {
      const body = { flow: flow.id, input, fail_on_error: index % 2 === 0 }
      const answer = await world.call('owner', 'POST /flowruns', { body })
      expect([200, 400], answer.text).toContain(answer.status)
      if (answer.status !== 200) continue
      await expectSound(answer.data.id)
      const shown = await world.call('owner', `GET /flowruns/${answer.data.id}`)
      expect(shown.status, shown.text).toBe(200)
      const again = await world.call('owner', `POST /flowruns/${answer.data.id}/rerun`, { body: {} })
      expect([200, 400], again.text).toContain(again.status)
      if (again.status === 200) await expectSound(again.data.id)
    }
  }
})
