// Chooses the output of a switch: the first case whose expression is true, otherwise `default`.
import type { SwitchConfig } from '@millrace/contract/flow-control'
import { type CelBudget, evaluateCel } from '#platform/cel/cel.ts'
import { defaultHandle, errorHandle } from './outputs.ts'

export type ConditionResult = { holds: boolean } | { error: string }

/** A condition must be true or false. */
export const evaluateWhen = (
  expression: string,
  variables: Record<string, unknown>,
  budget: CelBudget,
): ConditionResult => {
  const result = evaluateCel(expression, variables, budget)
  if ('error' in result) return result
  return typeof result.value === 'boolean' ? { holds: result.value } : { error: 'the condition must be true or false' }
}

export const switchFault = (config: SwitchConfig | null | undefined): string | undefined => {
  const names = config?.cases.map(({ name }) => name) ?? []
  if (names.length === 0) return 'the node has no cases'
  const reserved = names.find((name) => name === defaultHandle || name === errorHandle)
  if (reserved !== undefined) return `a case cannot have the name "${reserved}"`
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined ? undefined : `two cases have the name "${repeated}"`
}

export const chooseCase = (
  { cases }: SwitchConfig,
  inputs: Record<string, unknown>,
  budget: CelBudget,
): { branch: string } | { error: string } => {
  for (const { name, when } of cases) {
    const verdict = evaluateWhen(when, { input: inputs }, budget)
    if ('error' in verdict) return { error: `case "${name}": ${verdict.error}` }
    if (verdict.holds) return { branch: name }
  }
  return { branch: defaultHandle }
}
