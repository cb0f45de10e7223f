// Computes the price of a run: the fees of an app are expressions over its input and, if needed, its result. Pure.
import type { AppPricing, Estimate, SetAppPricing } from '@millrace/contract/pricing'
import { celFault, evaluateCel } from '#platform/cel/cel.ts'
import { celNames } from '#platform/cel/cel-names.ts'

const fees = ['resource', 'inference', 'royalty', 'partner'] as const
type Fee = (typeof fees)[number]

/** Known when a run is accepted. */
const namesBefore = ['task_inputs', 'task_function', 'prices']
/** Known when a run has ended. */
const namesAfter = ['output_meta', 'elapsed_ms']

export type RunFacts = { readonly input: unknown; readonly function: string }
export type RunResult = { readonly outputMeta: unknown; readonly elapsedMs: number }

export const completePricing = (given: SetAppPricing): AppPricing => ({
  prices: given.prices ?? {},
  resource_expression: given.resource_expression ?? '',
  inference_expression: given.inference_expression ?? '',
  royalty_expression: given.royalty_expression ?? '',
  partner_expression: given.partner_expression ?? '',
  total_expression: given.total_expression ?? '',
  description: given.description ?? '',
  ...(given.upstream_pricing === undefined ? {} : { upstream_pricing: given.upstream_pricing }),
  ...(given.estimate === undefined || given.estimate === '' ? {} : { estimate: given.estimate }),
})

const expressionOf = (pricing: AppPricing, fee: Fee | 'total'): string => pricing[`${fee}_expression`]

/** All expressions, each with the names that it may use. */
const expressionsOf = (pricing: AppPricing) => [
  ...fees.map((fee) => ({
    field: `${fee}_expression`,
    text: expressionOf(pricing, fee),
    names: [...namesBefore, ...namesAfter],
  })),
  { field: 'total_expression', text: pricing.total_expression, names: [...namesBefore, ...namesAfter, 'fees'] },
  { field: 'estimate', text: pricing.estimate ?? '', names: [...namesBefore, 'fees'] },
]

/** The first error in a price definition, or null. */
export const pricingFault = (pricing: AppPricing): string | null => {
  for (const [name, price] of Object.entries(pricing.prices))
    if (!Number.isSafeInteger(price)) return `prices.${name} must be a whole number of microcents`
  for (const { field, text, names } of expressionsOf(pricing)) {
    if (text === '') continue
    const fault = celFault(text)
    if (fault !== undefined) return `${field}: ${fault}`
    const unknown = [...celNames(text)].find((name) => !names.includes(name))
    if (unknown !== undefined) return `${field}: ${unknown} is not one of ${names.join(', ')}`
  }
  return null
}

/** The result values that the price depends on. */
export const dependsOn = (pricing: AppPricing): string[] => {
  const used = new Set([...fees, 'total' as const].flatMap((fee) => [...namesIn(expressionOf(pricing, fee))]))
  return namesAfter.filter((name) => used.has(name))
}

const namesIn = (expression: string): Iterable<string> => (expression === '' ? [] : celNames(expression))

export type Price = { readonly total: number; readonly fees: Readonly<Record<Fee, number>> }

const noFees: Record<Fee, number> = { resource: 0, inference: 0, royalty: 0, partner: 0 }

const amountOf = (value: unknown): number | string => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'does not return a number'
  const amount = Math.round(value)
  if (amount < 0) return 'returns a negative amount'
  return Number.isSafeInteger(amount) ? amount : 'returns an amount that is too large'
}

/** The price, or the error of an expression. Without a result, expressions that need one fail. */
export const priceOf = (pricing: AppPricing, run: RunFacts, result?: RunResult): Price | { error: string } => {
  const known = {
    task_inputs: run.input,
    task_function: run.function,
    prices: pricing.prices,
    ...(result ? { output_meta: result.outputMeta, elapsed_ms: result.elapsedMs } : {}),
  }
  const evaluate = (field: string, expression: string, variables: Record<string, unknown>): number | string => {
    const answer = evaluateCel(expression, variables)
    if ('error' in answer) return `${field}: ${answer.error}`
    const amount = amountOf(answer.value)
    return typeof amount === 'number' ? amount : `${field} ${amount}`
  }
  const amounts = { ...noFees }
  for (const fee of fees) {
    const expression = expressionOf(pricing, fee)
    if (expression === '') continue
    const amount = evaluate(`${fee}_expression`, expression, known)
    if (typeof amount === 'string') return { error: amount }
    amounts[fee] = amount
  }
  if (pricing.total_expression === '')
    return { total: Object.values(amounts).reduce((sum, fee) => sum + fee, 0), fees: amounts }
  const total = evaluate('total_expression', pricing.total_expression, { ...known, fees: amounts })
  return typeof total === 'string' ? { error: total } : { total, fees: amounts }
}

const rangeOf = (value: unknown): { min: number; max: number } | null => {
  if (typeof value !== 'object' || value === null || !('min' in value && 'max' in value)) return null
  const [min, max] = [amountOf(value.min), amountOf(value.max)]
  return typeof min === 'number' && typeof max === 'number' && min <= max ? { min, max } : null
}

/** Fees that do not depend on the result; all other fees and fees with errors are 0. */
const knownFees = (pricing: AppPricing, run: RunFacts): Record<Fee, number> => {
  const amounts = { ...noFees }
  for (const fee of fees) {
    const alone = { ...completePricing({ prices: pricing.prices }), [`${fee}_expression`]: expressionOf(pricing, fee) }
    const price = dependsOn(alone).length === 0 ? priceOf(alone, run) : { error: '' }
    if (!('error' in price)) amounts[fee] = price.total
  }
  return amounts
}

/**
 * Evaluates the `estimate` expression: an amount or a range. Even an amount is not exact, because the price depends on
 * the result.
 */
const estimateRange = (expression: string, pricing: AppPricing, run: RunFacts): Estimate => {
  const answer = evaluateCel(expression, {
    task_inputs: run.input,
    task_function: run.function,
    prices: pricing.prices,
    fees: knownFees(pricing, run),
  })
  const depends_on = dependsOn(pricing)
  if ('error' in answer) return { confidence: 'unknown', depends_on, estimate_error: answer.error }
  const amount = amountOf(answer.value)
  const range = typeof amount === 'number' ? { min: amount, max: amount } : rangeOf(answer.value)
  return range
    ? { confidence: 'range', ...range, depends_on }
    : { confidence: 'unknown', depends_on, estimate_error: 'the estimate is neither an amount nor {min, max}' }
}

/** The estimated cost of a run. An app without a price costs nothing. */
export const estimateOf = (pricing: AppPricing | null, run: RunFacts): Estimate => {
  if (!pricing) return { confidence: 'exact', microcents: 0 }
  const described = pricing.description === '' ? {} : { pricing_description: pricing.description }
  if (dependsOn(pricing).length === 0) {
    const price = priceOf(pricing, run)
    return 'error' in price
      ? { confidence: 'unknown', depends_on: [], estimate_error: price.error, ...described }
      : { confidence: 'exact', microcents: price.total, ...described }
  }
  const estimate: Estimate = pricing.estimate
    ? estimateRange(pricing.estimate, pricing, run)
    : { confidence: 'unknown', depends_on: dependsOn(pricing) }
  return { ...estimate, ...described }
}

/** The amount to reserve when a run is accepted; null if it is unknown. */
export const worstCase = (estimate: Estimate): number | null =>
  estimate.confidence === 'unknown' ? null : (estimate.microcents ?? estimate.max ?? 0)
