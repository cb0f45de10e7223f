// Regular expressions that cannot block the server: RE2 syntax, linear in the text, with a bounded pattern size.
import { RE2JS } from '@bufbuild/re2'
import { writeOutClasses } from './unicode-classes.ts'

export type LinearRegExp = {
  /** Instructions of the compiled program: the maximum cost per character. */
  size: number
  test: (text: string) => boolean
}

const maxPatternLength = 1_000
// RE2 rejects counted repetitions that multiply to more than this.
const maxRepetitions = 1_000

/** A character class is a table of hundreds of ranges, which is parsed at each occurrence. */
const classCost = 4_000

/**
 * An upper bound for the cost of compiling a pattern, computed without compiling: nested repetitions such as
 * `(a{30}){30}` multiply. A repeated class is parsed only once.
 */
export const patternCost = (pattern: string): number => {
  let repetitions = 1
  for (const [, least = '1', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    repetitions = Math.min(maxRepetitions, repetitions * Math.max(1, Number(least), Number(most)))
  }
  const classes = pattern.match(/\\p/gi)?.length ?? 0
  return pattern.length * repetitions + classes * classCost
}

export const linearRegExp = (pattern: string): LinearRegExp => {
  if (pattern.length > maxPatternLength) throw new Error(`a pattern has at most ${maxPatternLength} characters`)
  const compiled = RE2JS.compile(writeOutClasses(pattern))
  return { size: compiled.re2().prog.numInst(), test: (text) => compiled.test(text) }
}
