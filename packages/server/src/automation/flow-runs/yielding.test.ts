// Guarantees: the computation of a flow yields regularly to other work.
import { expect, it } from 'vitest'
import { longestPiece, maxPieceMs } from '../../testing/event-loop.ts'
import { begin } from './engine/advance.ts'
import { chanceAt, from, type NodeSpec, planOf } from './engine/testing/flow-builder.ts'
import { compileExpressions, runSlices } from './yielding.ts'

const nodes = 5
const flowOf = (expression: (index: number) => string): Record<string, NodeSpec> => ({
  in: { type: 'inputNode' },
  ...Object.fromEntries(
    Array.from({ length: nodes }, (_, index) => [
      `n${index}`,
      { type: 'utility', data: { utility: { expression: expression(index) } }, inputs: { list: from('in', 'list') } },
    ]),
  ),
})

const run = async (flow: Record<string, NodeSpec>, input: Record<string, unknown>) => {
  const plan = planOf(flow)
  await compileExpressions(plan)
  return runSlices(begin(plan, { input, failOnError: false }, chanceAt()))
}

let round = 0

it.each<[string, (index: number) => string]>([
  ['long sums', (index) => `${round}${index}${'+1'.repeat(1_900)}`],
  ['open conditions', (index) => `${round}${index}${'>1?b:a'.repeat(600)}`],
  ['unclosed brackets', (index) => `${round}${index}+${'{1:'.repeat(1_200)}`],
  ['long paths', (index) => `input.list.a${round}${index}${'.a'.repeat(1_900)}`],
])('compiling many nodes of %s yields', async (_, expression) => {
  const piece = await longestPiece(async () => {
    round += 1
    await run(flowOf(expression), {})
  })
  expect(piece).toBeLessThan(maxPieceMs)
})

it('computing many nodes yields', async () => {
  const list = Array.from({ length: 120 }, (_, index) => index)
  const flow = flowOf((index) => `input.list.map(x, input.list.filter(y, y < x + ${index}).size())`)
  const enough = maxPieceMs * 2
  expect(await longestPiece(() => run(flow, { list }), enough)).toBeLessThan(enough)
})
