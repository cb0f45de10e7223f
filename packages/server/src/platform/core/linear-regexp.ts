// Regular expressions that cannot hang the server: RE2 syntax, time linear in the text, and a bound on size times text.
import { RE2JS } from '@bufbuild/re2'
import { writeOutClasses } from './unicode-classes.ts'

export type LinearRegExp = {
  /** Instructions of the compiled program: matching costs at most this much per character. */
  size: number
  test: (text: string) => boolean
}

const longestPattern = 1_000
// RE2 itself refuses counted repetitions that multiply to more than this.
const mostRepetitions = 1_000

/** A class of letters is a table of hundreds of ranges, which is read wherever it is written. */
const classCost = 4_000

/**
 * An upper bound for what compiling costs and for the size of the program, known before: `(a{30}){30}` grows by the product. However
 * often a class is repeated, its table is read once.
 */
export const patternCost = (pattern: string): number => {
  let repetitions = 1
  for (const [, least = '1', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    repetitions = Math.min(mostRepetitions, repetitions * Math.max(1, Number(least), Number(most)))
  }
  const classes = pattern.match(/\\p/gi)?.length ?? 0
  return pattern.length * repetitions + classes * classCost
}

export const linearRegExp = (pattern: string): LinearRegExp => {
  if (pattern.length > longestPattern) throw new Error(`a pattern has at most ${longestPattern} characters`)
  const compiled = RE2JS.compile(writeOutClasses(pattern))
  return { size: compiled.re2().prog.numInst(), test: (text) => compiled.test(text) }
}
