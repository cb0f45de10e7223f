// The budget of one evaluation. Counting steps instead of milliseconds is deterministic: the same expression with the
// same input succeeds on every machine or on none. Evaluation is synchronous, so one meter is enough.
import { type LinearRegExp, linearRegExp, patternCost } from '../core/linear-regexp.ts'

export const celLimits = {
  expressionLength: 4_000,
  nesting: 100,
  steps: 300_000,
  textLength: 1_000_000,
  listLength: 100_000,
  depth: 200,
  resultBytes: 4_194_304,
} as const

const meter = { left: 0, exhausted: false, patterns: new Map<string, LinearRegExp>() }

export const startMeter = (steps: number): void => {
  meter.left = steps
  meter.exhausted = false
  meter.patterns.clear()
}

export const stepsLeft = (): number => Math.max(0, meter.left)

/** `||` and `&&` can swallow an error of one side, so the budget is checked again at the end. */
export const meterExhausted = (): boolean => meter.exhausted

export const charge = (steps: number): void => {
  meter.left -= steps
  if (meter.left >= 0) return
  meter.exhausted = true
  throw new Error('the expression takes too many steps')
}

/** Text is copied and compared in blocks, so many characters cost one step. */
export const chargeText = (length: number): void => charge(1 + (length >>> 6))

export const refuseLonger = (length: number, limit: number, what: string): void => {
  if (length <= limit) return
  meter.exhausted = true
  throw new Error(`the expression makes ${what} too long`)
}

// The most expensive measured patterns need a quarter of a microsecond per instruction and character.
const perRegExpStep = 2

export const matchPattern = (pattern: string, text: string): boolean => {
  let compiled = meter.patterns.get(pattern)
  if (!compiled) {
    charge(1 + patternCost(pattern) / perRegExpStep)
    compiled = linearRegExp(pattern)
    meter.patterns.set(pattern, compiled)
  }
  charge(1 + (compiled.size * text.length) / perRegExpStep)
  return compiled.test(text)
}
