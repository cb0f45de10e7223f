// Evaluates CEL expressions over JSON with limits for length, steps and result size. Never throws.
import { isCelError, parse, plan } from '@bufbuild/cel'
import { flowCelEnv, textOf } from './cel-env.ts'
import { celLimits, meterExhausted, startMeter, stepsLeft } from './cel-meter.ts'
import { meterLoops } from './cel-rewrite.ts'
import { fromCelValue, toCelValue } from './cel-values.ts'

export type CelResult = { value: unknown } | { error: string }

type Program = ReturnType<typeof plan>

/** A program or an error. Both are cached, because compiling is expensive in both cases. */
type Compiled = { program: Program } | { fault: string }

/** The most recently used entry is last, so the first one is evicted. */
const compiled = new Map<string, Compiled>()
const maxCachedCharacters = 8_000_000
let cachedCharacters = 0

/** Maximum cost of compiling, in evaluation steps. */
const stepsPerCharacter = 25

const messageOf = (error: unknown): string => {
  if (error instanceof RangeError) return 'the expression is nested too deeply'
  // The message may quote text that cannot be stored in the database.
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll('\0', '\uFFFD').toWellFormed()
}

/** The library resolves a long path in quadratic time. */
const longPath = new RegExp(`(?:\\.\\s*[A-Za-z_]\\w*\\s*){${celLimits.nesting + 1}}`)

/**
 * Checks the text, because the parser needs quadratic time for deep nesting. Characters inside literals count, too, so
 * a few unusual texts are rejected.
 */
const isNestedTooDeeply = (expression: string): boolean => {
  let brackets = 0
  let conditions = 0
  for (const character of expression) {
    if ('([{'.includes(character)) brackets += 1
    else if (')]}'.includes(character)) brackets -= 1
    else if (character === '?') conditions += 1
    if (brackets > celLimits.nesting || conditions > celLimits.nesting) return true
  }
  return longPath.test(expression)
}

const compileNow = (expression: string): Compiled => {
  if (isNestedTooDeeply(expression)) return { fault: 'the expression is nested too deeply' }
  try {
    const parsed = parse(expression)
    meterLoops(parsed.expr)
    return { program: plan(flowCelEnv, parsed) }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

const addToCache = (expression: string, made: Compiled): void => {
  compiled.set(expression, made)
  cachedCharacters += expression.length
  for (const oldest of compiled.keys()) {
    if (cachedCharacters <= maxCachedCharacters) return
    compiled.delete(oldest)
    cachedCharacters -= oldest.length
  }
}

/** `pay` is charged with the cost of compiling if the expression is not cached. */
const compile = (expression: string, pay: (steps: number) => void = () => {}): Compiled => {
  if (expression.length > celLimits.expressionLength)
    return { fault: `an expression can have at most ${celLimits.expressionLength} characters` }
  const cached = compiled.get(expression)
  if (cached) {
    compiled.delete(expression)
    compiled.set(expression, cached)
    return cached
  }
  pay(expression.length * stepsPerCharacter)
  const made = compileNow(expression)
  addToCache(expression, made)
  return made
}

/** The error of an expression without running it; undefined if it compiles. */
export const celFault = (expression: string): string | undefined => {
  const made = compile(expression)
  return 'fault' in made ? made.fault : undefined
}

/** Steps shared by several evaluations; each uses at most its own share. */
export type CelBudget = { steps: number }

export const evaluateCel = (
  expression: string,
  variables: Record<string, unknown>,
  budget: CelBudget = { steps: celLimits.steps },
): CelResult => {
  const made = compile(expression, (steps) => {
    budget.steps -= steps
  })
  if ('fault' in made) return { error: made.fault }
  const share = Math.max(0, Math.min(celLimits.steps, budget.steps))
  try {
    const bound = Object.entries(variables).map(([name, value]) => [name, toCelValue(value)])
    startMeter(share)
    const result = made.program(Object.fromEntries(bound))
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
