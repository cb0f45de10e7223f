// Guarantees: no graph can make one step of a run use unbounded memory or time. Beyond the limits, the node fails and
// the run reports why.
import { describe, expect, test } from 'vitest'
import { jsonSize } from './json-size.ts'
import { passLimits } from './pass.ts'
import { begin, chanceAt, from, type NodeSpec, planOf } from './testing/flow-builder.ts'

const start = (nodes: Record<string, NodeSpec>, input: Record<string, unknown> = {}) =>
  begin(planOf(nodes), { input, failOnError: true }, chanceAt()).state

const text = (bytes: number) => 'x'.repeat(bytes)
const chain = (length: number, make: (index: number) => NodeSpec) =>
  Object.fromEntries(Array.from({ length }, (_, index) => [`n${index}`, make(index)]))

describe('limits of a pass', () => {
  test('sixty merges that each contain the previous one twice', () => {
    const doubled = chain(60, (index) => ({
      type: 'merge',
      inputs: index === 0 ? { a: 1 } : { a: from(`n${index - 1}`), b: from(`n${index - 1}`) },
    }))
    expect(start(doubled)).toMatchObject({ status: 'failed', error: expect.stringContaining('is larger than') })
  })

  test('a thousand merges that each store the same three megabytes', () => {
    const wide = chain(1_000, () => ({ type: 'merge', inputs: { a: from('in', 'text') } }))
    const state = start({ in: { type: 'inputNode' }, ...wide }, { text: text(3_000_000) })
    expect(state).toMatchObject({ status: 'failed', error: expect.stringContaining('one step of the run') })
  })

  test('a task with an oversized input', () => {
    const state = start(
      {
        in: { type: 'inputNode' },
        step: { inputs: Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, from('in', 'text')])) },
      },
      { text: text(3_000_000) },
    )
    expect(state).toMatchObject({ status: 'failed', error: expect.stringContaining('its input is larger than') })
  })

  test('a run with an oversized output', () => {
    const fields = ['a', 'b', 'c', 'd']
    const state = start(
      {
        in: { type: 'inputNode' },
        out: { type: 'outputNode', inputs: Object.fromEntries(fields.map((key) => [key, from('in', 'text')])) },
      },
      { text: text(3_000_000) },
    )
    expect(state).toMatchObject({ status: 'failed', error: expect.stringContaining('the output of the run') })
  })

  test('many expensive expressions in one step', () => {
    const dear = { expression: 'input.l.map(a, input.l.map(b, a + b).size()).size()' }
    const list = Array.from({ length: 150 }, (_, index) => index)
    const nodes = chain(200, () => ({ type: 'utility', data: { utility: dear }, inputs: { l: from('in', 'l') } }))
    const state = start({ in: { type: 'inputNode' }, ...nodes }, { l: list })
    expect(state).toMatchObject({ status: 'failed', error: expect.stringContaining('too many steps') })
    const few = chain(3, () => ({ type: 'utility', data: { utility: dear }, inputs: { l: from('in', 'l') } }))
    expect(start({ in: { type: 'inputNode' }, ...few }, { l: list }).status).toBe('completed')
  })
})

describe('the size of a value', () => {
  test.each<[unknown, number]>([
    ['', 2],
    ['abc', 5],
    [null, 5],
    [[], 2],
    [[1, 2], 14],
    [{ ab: 'c' }, 11],
  ])('%j', (value, size) => {
    expect(jsonSize(value, 1_000)).toBe(size)
    expect(size).toBeGreaterThanOrEqual(JSON.stringify(value).length)
  })

  test('is counted only up to the limit', () => {
    let shared: unknown = 'x'
    for (let depth = 0; depth < 1_000; depth += 1) shared = [shared, shared]
    expect(jsonSize(shared, 10_000)).toBeGreaterThan(10_000)
    expect(jsonSize(shared, 10_000)).toBeLessThan(passLimits.resultBytes)
  })
})
