// Regular expressions that cannot hang the server: RE2 syntax, time linear in the text, and a bound on size times text.
import { RE2JS } from '@bufbuild/re2'

export type LinearRegExp = {
  /** Instructions of the compiled program: matching costs at most this much per character. */
  size: number
  test: (text: string) => boolean
}

const longestPattern = 1_000
// RE2 itself refuses counted repetitions that multiply to more than this.
const mostRepetitions = 1_000

/** An upper bound for the size of the compiled program, known before compiling: `(a{30}){30}` grows by the product. */
export const patternCost = (pattern: string): number => {
  let repetitions = 1
  for (const [, least = '1', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    repetitions = Math.min(mostRepetitions, repetitions * Math.max(1, Number(least), Number(most)))
  }
  return pattern.length * repetitions
}

export const linearRegExp = (pattern: string): LinearRegExp => {
  if (pattern.length > longestPattern) throw new Error(`a pattern has at most ${longestPattern} characters`)
  const compiled = RE2JS.compile(pattern)
  return { size: compiled.re2().prog.numInst(), test: (text) => compiled.test(text) }
}
