// Evaluates utility nodes: gate, selector, merge, constant, and custom expressions, which replace any of them.
import type { NodeData, UtilityConfig } from '@millrace/contract/flows'
import { type CelBudget, evaluateCel } from '#platform/cel/cel.ts'
import { evaluateGate, type GateResult } from './gate.ts'
import { type Selection, selectElement } from './selector.ts'

/** `gate` marks a failure that blocks later nodes but does not fail the run. */
export type UtilityResult = { output: unknown } | { error: string; gate: boolean }

export type UtilityKind = 'gate' | 'selector' | 'merge' | 'constant' | 'expression'

const presets: readonly string[] = ['gate', 'selector', 'merge', 'constant']

const isPreset = (name: string): name is 'gate' | 'selector' | 'merge' | 'constant' => presets.includes(name)

/** The kind follows from the type of a node; for the type `utility`, from its configuration. */
export const utilityKind = (type: string, data: NodeData): UtilityKind | undefined => {
  if (isPreset(type)) return type
  const { utility } = data
  if (utility) {
    if (utility.preset && isPreset(utility.preset)) return utility.preset
    return utility.expression ? 'expression' : undefined
  }
  if (data.gate_condition) return 'gate'
  return data.selector_config ? 'selector' : undefined
}

export const evaluateUtility = (
  type: string,
  data: NodeData,
  inputs: Record<string, unknown>,
  random: () => number,
  budget?: CelBudget,
): UtilityResult => {
  const kind = utilityKind(type, data)
  const config = data.utility ?? undefined
  const expression = config?.expression || undefined
  if (kind === 'gate') {
    const condition = config ? config.gate : data.gate_condition
    const verdict = expression ? evaluateCondition(expression, inputs, budget) : evaluateGate(condition, inputs)
    return verdict.open ? { output: inputs } : { error: verdict.reason, gate: true }
  }
  if (expression !== undefined) return stored(evaluateCel(expression, { input: inputs }, budget))
  switch (kind) {
    case 'selector':
      return stored(selectElement(config ? config.selector : data.selector_config, inputs, random))
    case 'merge':
      return { output: inputs }
    case 'constant':
      return stored(constant(config ?? {}, random))
    default:
      return { error: 'the utility node has neither a preset nor an expression', gate: false }
  }
}

const stored = (result: Selection): UtilityResult =>
  'error' in result ? { error: result.error, gate: false } : { output: result.value }

const evaluateCondition = (expression: string, inputs: Record<string, unknown>, budget?: CelBudget): GateResult => {
  const result = evaluateCel(expression, { input: inputs }, budget)
  if ('error' in result) return { open: false, reason: result.error }
  if (result.value === true) return { open: true }
  return {
    open: false,
    reason: result.value === false ? 'condition is false' : 'the condition must be true or false',
  }
}

const constant = (config: UtilityConfig, random: () => number): Selection => {
  if (!config.random) return { value: config.constant ?? null }
  const from = Math.ceil(config.random_min ?? 0)
  const to = Math.floor(config.random_max ?? 1_000_000)
  if (from > to)
    return { error: `there is no integer between random_min ${config.random_min} and random_max ${config.random_max}` }
  return { value: from + Math.floor(random() * (to - from + 1)) }
}
