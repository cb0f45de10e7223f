// Four rules about SQL that a reader may overlook: a status is written by name; a pattern from input is built in one
// file only; a read of one row has a limit of one; and a change returns named columns, because the next version may add
// a column while this statement is still prepared (decision 0127). Prints every violation and fails.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = 'packages/server/src'

/** The file where `like` may use input: values are escaped there, or the caller may use patterns. */
const patternFile = 'platform/tenancy/list/filters.ts'

const isSource = (path: string): boolean => path.endsWith('.ts') && !/\.test\.ts$|\.gen\.ts$|(^|\/)testing\//.test(path)

/** Replaces comments with spaces, so that offsets stay the same. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/\S/g, ' '))

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** The offset before the bracket, quote or angle that closes at `at`. */
const beforeGroup = (text: string, at: number, open: string, close: string): number => {
  let depth = 0
  let place = at
  do {
    if (text[place] === close) depth += 1
    else if (text[place] === open) depth -= 1
    place -= 1
  } while (depth > 0 && place > 0)
  return place
}

const skipBlanks = (text: string, from: number): number => {
  let place = from
  while (place > 0 && /\s/.test(text[place] ?? '')) place -= 1
  return place
}

/** The start of a call chain such as `db.selectFrom('x').where(…)`; `at` is the dot of its last call. */
const chainBefore = (text: string, at: number): string => {
  let place = at
  while (place > 0 && text[place] === '.') {
    place = skipBlanks(text, place - 1)
    if (text[place] === ')') place = beforeGroup(text, place, '(', ')')
    if (text[place] === '>') place = beforeGroup(text, place, '<', '>')
    while (place > 0 && /[\w$]/.test(text[place] ?? '')) place -= 1
    place = skipBlanks(text, place)
  }
  return text.slice(place + 1, at)
}

const writes = /insertInto|updateTable|deleteFrom|\.returning/
const oneRowByNature = /\.limit\(|count\(|countAll|max\(|sum\(|exists\(/

const unboundReads = (text: string): number[] =>
  [...text.matchAll(/\.executeTakeFirst(?:OrThrow)?\(/g)].flatMap(({ index }) => {
    const chain = chainBefore(text, index)
    return writes.test(chain) || oneRowByNature.test(chain) ? [] : [index]
  })

/** `like` with anything except a literal without placeholders. */
const openPatterns = (text: string): number[] => [
  ...[...text.matchAll(/'(?:not )?i?like'\s*,(?!\s*'[^']*')/g)].map(({ index }) => index),
  ...[...text.matchAll(/(?:\blike|\bilike|~~\*?|\bsimilar to)\s+\$\{/g)].map(({ index }) => index),
]

/** `status < 8` in a statement. */
const numberedStatuses = (text: string): number[] =>
  [...text.matchAll(/`[^`]*`/g)].flatMap(({ 0: quoted, index }) =>
    [...quoted.matchAll(/\bstatus (?:=|<>|<=?|>=?|between|in) \(?\d/g)].map((found) => index + found.index),
  )

const violations = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter(isSource)
  .flatMap((path) => {
    const text = withoutComments(readFileSync(join(root, source, path), 'utf8'))
    const at = (index: number): string => `${source}/${path}:${lineOf(text, index)}`
    return [
      ...unboundReads(text).map((index) => `${at(index)} reads one row without .limit(1)`),
      ...[...text.matchAll(/returning (?:\w+\.)?\*/g)].map(({ index }) => `${at(index)} returns columns without names`),
      ...numberedStatuses(text).map((index) => `${at(index)} uses the number of a status`),
      ...(path === patternFile ? [] : openPatterns(text).map((index) => `${at(index)} uses a pattern from input`)),
    ]
  })
if (violations.length > 0) {
  console.error(violations.join('\n'))
  process.exit(1)
}
