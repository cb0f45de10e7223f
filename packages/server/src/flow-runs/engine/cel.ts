// Custom expressions: CEL over JSON, bounded in length, steps and size of the result. Never throws.
import { isCelError, parse, plan } from '@bufbuild/cel'
import { flowCelEnv, textOf } from './cel-env.ts'
import { celLimits, meterExhausted, startMeter, stepsLeft } from './cel-meter.ts'
import { meterLoops } from './cel-rewrite.ts'
import { fromCelValue, toCelValue } from './cel-values.ts'

export type CelResult = { value: unknown } | { error: string }

type Program = ReturnType<typeof plan>

const cacheLimits = { programs: 500, expressionLength: 2_000 } as const
const programs = new Map<string, Program>()

const messageOf = (error: unknown): string => {
  if (error instanceof RangeError) return 'the expression is nested too deeply'
  // A message may quote a text that no database column can hold.
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll('\0', '\uFFFD').toWellFormed()
}

const compile = (expression: string): Program => {
  if (expression.length > celLimits.expressionLength) {
    throw new Error(`an expression has at most ${celLimits.expressionLength} characters`)
  }
  const held = programs.get(expression)
  if (held) {
    // Most recently used last, so that the first key is the one to drop.
    programs.delete(expression)
    programs.set(expression, held)
    return held
  }
  const parsed = parse(expression)
  meterLoops(parsed.expr)
  const program = plan(flowCelEnv, parsed)
  if (expression.length <= cacheLimits.expressionLength) {
    const [oldest] = programs.keys()
    if (oldest !== undefined && programs.size >= cacheLimits.programs) programs.delete(oldest)
    programs.set(expression, program)
  }
  return program
}

/** What is wrong with an expression before it has ever run; undefined when it compiles. */
export const celFault = (expression: string): string | undefined => {
  try {
    compile(expression)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Steps that several evaluations share; each takes at most its own share of them. */
export type CelBudget = { steps: number }

export const evaluateCel = (
  expression: string,
  variables: Record<string, unknown>,
  budget: CelBudget = { steps: celLimits.steps },
): CelResult => {
  const share = Math.min(celLimits.steps, budget.steps)
  try {
    const program = compile(expression)
    const bound = Object.entries(variables).map(([name, value]) => [name, toCelValue(value)])
    startMeter(share)
    const result = program(Object.fromEntries(bound))
    if (meterExhausted())
      return { error: isCelError(result) ? messageOf(result) : 'the expression takes too many steps' }
    if (isCelError(result)) return { error: messageOf(result.cause instanceof RangeError ? result.cause : result) }
    return { value: fromCelValue(result, textOf) }
  } catch (error) {
    return { error: messageOf(error) }
  } finally {
    budget.steps -= share - Math.min(share, stepsLeft())
  }
}
