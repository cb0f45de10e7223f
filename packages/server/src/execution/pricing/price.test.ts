// Guarantees: the computed estimate and price of a run, and the prices that are refused when they are set.
import type { SetAppPricing } from '@millrace/contract/pricing'
import { describe, expect, it } from 'vitest'
import { celNames } from '#platform/cel/cel-names.ts'
import { completePricing, dependsOn, estimateOf, priceOf, pricingFault, worstCase } from './price.ts'

const run = { input: { steps: 4, size: 2.5 }, function: 'run' }
const result = { outputMeta: { outputs: [{ tokens: 7 }] }, elapsedMs: 1500 }
const of = (given: SetAppPricing) => completePricing(given)

describe('a price', () => {
  it.each<[string, SetAppPricing, number]>([
    ['no expressions', {}, 0],
    [
      'a fee computed from the input',
      { prices: { step: 10 }, inference_expression: 'prices.step * task_inputs.steps' },
      40,
    ],
    ['the sum of fees', { resource_expression: '1', inference_expression: '2', royalty_expression: '3' }, 6],
    ['a total computed from the fees', { resource_expression: '10', total_expression: 'fees.resource * 2 + 1' }, 21],
    ['a rounded fraction', { inference_expression: 'task_inputs.size * 3.0' }, 8],
    ['the result', { inference_expression: 'output_meta.outputs[0].tokens * 100' }, 700],
    ['time', { resource_expression: 'elapsed_ms / 1000' }, 1],
    ['the function', { inference_expression: 'task_function == "run" ? 5 : 6' }, 5],
  ])('%s', (_claim, pricing, total) => {
    expect(pricingFault(of(pricing))).toBeNull()
    expect(priceOf(of(pricing), run, result)).toMatchObject({ total })
  })

  it.each<[string, SetAppPricing, RegExp]>([
    ['a broken expression', { total_expression: '1 +' }, /^total_expression: /],
    ['an unknown name', { resource_expression: 'task.cost' }, /^resource_expression: task is not one of/],
    ['fees outside the total', { resource_expression: 'fees.royalty' }, /fees is not one of/],
    ['a result in the estimate', { estimate: 'elapsed_ms' }, /^estimate: elapsed_ms is not one of/],
    ['a fractional price', { prices: { step: 0.5 } }, /prices\.step/],
  ])('%s is refused when it is set', (_claim, pricing, fault) => {
    expect(pricingFault(of(pricing))).toMatch(fault)
  })

  it.each<[string, SetAppPricing]>([
    ['a missing input', { inference_expression: 'task_inputs.frames * 2' }],
    ['text', { inference_expression: '"dear"' }],
    ['a negative amount', { inference_expression: '-1' }],
  ])('%s has no price', (_claim, pricing) => {
    expect(priceOf(of(pricing), run, result)).toHaveProperty('error')
  })
})

describe('an estimate', () => {
  it.each<[string, SetAppPricing | null, object, number | null]>([
    ['no price', null, { confidence: 'exact', microcents: 0 }, 0],
    ['only input', { inference_expression: 'task_inputs.steps * 3' }, { confidence: 'exact', microcents: 12 }, 12],
    ['needs time', { resource_expression: 'elapsed_ms' }, { confidence: 'unknown', depends_on: ['elapsed_ms'] }, null],
    [
      'a range',
      { resource_expression: 'elapsed_ms', estimate: '{"min": 1, "max": task_inputs.steps * 10}' },
      { confidence: 'range', min: 1, max: 40, depends_on: ['elapsed_ms'] },
      40,
    ],
    [
      'an amount, which is a range because the price depends on the result',
      { resource_expression: 'elapsed_ms', estimate: '9' },
      { confidence: 'range', min: 9, max: 9, depends_on: ['elapsed_ms'] },
      9,
    ],
    [
      'the fees that are already known',
      {
        resource_expression: 'elapsed_ms',
        royalty_expression: 'task_inputs.steps * 5',
        estimate: '{"min": fees.royalty, "max": fees.royalty + fees.resource + 7}',
      },
      { confidence: 'range', min: 20, max: 27, depends_on: ['elapsed_ms'] },
      27,
    ],
    [
      'an estimate with an error',
      { resource_expression: 'elapsed_ms', estimate: 'task_inputs.nope' },
      { confidence: 'unknown', depends_on: ['elapsed_ms'], estimate_error: expect.any(String) },
      null,
    ],
  ])('%s', (_claim, pricing, estimate, worst) => {
    const answer = estimateOf(pricing && of(pricing), run)
    expect(answer).toEqual(estimate)
    expect(worstCase(answer)).toBe(worst)
  })

  it('lists the result values that the price depends on', () => {
    const pricing = of({ resource_expression: 'elapsed_ms', royalty_expression: 'size(output_meta.outputs)' })
    expect(dependsOn(pricing)).toEqual(['output_meta', 'elapsed_ms'])
  })
})

describe('the names of an expression', () => {
  it.each([
    ['a.b + c[0]', ['a', 'c']],
    ['list.map(x, x + y)', ['list', 'y']],
    ['{"k": v}', ['v']],
    ['1 + 2', []],
  ])('%s', (expression, names) => {
    expect([...celNames(expression)].sort()).toEqual(names)
  })
})
