// Guards: a flow runs from its input to its output, app nodes as tasks and utility nodes on the spot, every step inside
// the transaction that ends a node.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { flowOf } from '../flows/testing/given.ts'
import { createWorld, type World } from '../testing/world.ts'
import { from, graphOf } from './engine/flow-builder.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('smoke', async () => {
  const flow = await flowOf(
    world,
    'owner',
    graphOf(
      {
        in: { type: 'inputNode' },
        sum: { type: 'utility', data: { utility: { expression: 'input.a + 1' } }, inputs: { a: from('in', 'n') } },
        out: { type: 'outputNode', inputs: { total: from('sum') } },
      },
      {},
    ),
  )
  const run = await world.call('owner', 'POST /flowruns', { body: { flow: flow.id, input: { n: 4 } } })
  expect(run.data, run.text).toMatchObject({ status: 3, output: { total: 5 } })
  const got = await world.call('owner', `GET /flowruns/${run.data.id}`)
  console.log(got.text)
  const task = await world.call('owner', `GET /tasks/${run.data.task_id}`)
  console.log(task.text)
})
