// Replaces `\p{…}` in patterns with ranges from a generated table. On the first use of a class the pattern library
// would scan all of Unicode and block the event loop.
import { packedClasses } from './unicode-classes.gen.ts'

type Range = readonly [from: number, to: number]

const lastCodePoint = 0x10ffff

const unpack = (packed: string): Range[] => {
  let end = 0
  return packed.split(' ').map((token) => {
    const [gap = '', length = '0'] = token.split('.')
    const from = end + Number.parseInt(gap, 36)
    end = from + Number.parseInt(length, 36)
    return [from, end]
  })
}

const complement = (ranges: readonly Range[]): Range[] => {
  const rest: Range[] = []
  let next = 0
  for (const [from, to] of ranges) {
    if (from > next) rest.push([next, from - 1])
    next = to + 1
  }
  if (next <= lastCodePoint) rest.push([next, lastCodePoint])
  return rest
}

const written = (ranges: readonly Range[]): string =>
  ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join('')

const texts = new Map<string, string>()

/** The ranges as written inside brackets. With case folding, a class of one case includes the others. */
const rangesText = (name: string, isNegated: boolean, folds: boolean): string => {
  const key = `${isNegated ? '^' : ''}${folds && /^L[ult]$/.test(name) ? 'LC' : name}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const ranges = key.endsWith('LC')
    ? ['Lu', 'Ll', 'Lt'].flatMap((cased) => unpack(packedClasses[cased] ?? '')).sort(([a], [b]) => a - b)
    : Object.hasOwn(packedClasses, name) && unpack(packedClasses[name] ?? '')
  if (!ranges) throw new Error(`unknown class of characters: ${name.slice(0, 30)}`)
  const text = written(isNegated ? complement(ranges) : ranges)
  texts.set(key, text)
  return text
}

/** A quoted part, an escape, a POSIX class, or one character. */
const token = /\\Q[\s\S]*?(?:\\E|$)|\\([pP])(?:\{(\^?)(\w+)\}|([A-Za-z]))|\\[\s\S]|\[:\^?\w+:\]|[\s\S]/gy

export const writeOutClasses = (pattern: string): string => {
  if (!/\\p/i.test(pattern)) return pattern
  const folds = /\(\?\w*i/.test(pattern)
  let text = ''
  /** Null outside of brackets. */
  let brackets: { opening: string; own: string; classes: string } | null = null
  for (const [part, letter, caret, braced, single] of pattern.matchAll(token)) {
    if (letter !== undefined) {
      const isNegated = (letter === 'P') !== (caret === '^')
      const ranges = rangesText(braced ?? single ?? '', isNegated, folds)
      if (brackets) brackets.classes += ranges
      else text += `(?-i:[${ranges}])`
    } else if (brackets === null) {
      if (part === '[') brackets = { opening: '[', own: '', classes: '' }
      else text += part
    } else if (part === '^' && brackets.opening === '[' && brackets.own === '' && brackets.classes === '')
      brackets.opening = '[^'
    else if (part === ']' && (brackets.own !== '' || brackets.classes !== '')) {
      text += closed(brackets, folds)
      brackets = null
    } else brackets.own += part
  }
  // An unclosed bracket is reported by the compiler of the pattern.
  return brackets ? `${text}${brackets.opening}${brackets.own}` : text
}

/** Ranges of a class already include both cases; folding hundreds of them again at each compilation is too slow. */
const closed = (
  { opening, own, classes }: { opening: string; own: string; classes: string },
  folds: boolean,
): string => {
  if (!folds || classes === '') return `${opening}${own}${classes}]`
  if (opening === '[^') throw new Error('a negated set cannot hold a class where case does not matter')
  return own === '' ? `(?-i:[${classes}])` : `(?:[${own}]|(?-i:[${classes}]))`
}
