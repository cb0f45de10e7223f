// Rejects phrases of the old voice in comments, strings and documents, so that rewritten text stays plain English. It is a
// tripwire and finds only the most frequent marks.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { conclude, judge, readSource, root } from './source-files.ts'
import { oldPhrases, voiceExceptions } from './voice-rules.ts'

export type Finding = { readonly line: number; readonly match: string }

const phrase = new RegExp(
  `\\b(?:${oldPhrases.map(({ source }) => source.replaceAll(' ', ' +')).join('|')})(?!\\w)`,
  'gi',
)

/** Begins with a question word: after a comment mark, a quote, a bullet or the end of a sentence. */
const clause =
  /(?<=^|[.!:] |\/\/ |\/\*\* |^[ \t]*(?:\*|#|--|-) |['"`>])(?:Who|What|Whoever|Whatever)\b(?!['’])(?:[^.?!'"`|]|(?<=\w)['’.](?=\w))*/gm

const mark = String.raw`[ \t]*(?:\/\/|\*(?!\/)|#|--)`
const continued = new RegExp(`(?<=^${mark}.*)\\r?\\n${mark}`, 'gm')

/** Joins the lines of one comment, so that a sentence is seen whole. The length stays, and so do the offsets. */
const joinComments = (text: string): string => text.replace(continued, (between) => ' '.repeat(between.length))

export const findOldVoice = (text: string, kind: 'code' | 'document'): Finding[] => {
  // A heading may be a phrase ("What is inside").
  const body =
    kind === 'code'
      ? joinComments(text)
      : text.replace(/^#.*$/gm, (heading) => ' '.repeat(heading.length)).replace(/(?<=\w)\n(?=\w)/g, ' ')
  const clauses = [...body.matchAll(clause)].filter(({ 0: match, index }) => body[index + match.length] !== '?')
  return [...body.matchAll(phrase), ...clauses]
    .sort((a, b) => a.index - b.index)
    .map(({ 0: match, index }) => ({
      line: text.slice(0, index).split('\n').length,
      match: match.replace(/\s+/g, ' ').slice(0, 60),
    }))
}

const folders = ['packages', 'apps', 'scripts', 'bench', 'e2e', 'docs', 'deploy', '.ci']
/** Installations compare the checksum of each applied migration, so the comments of these cannot be rewritten. */
const isAppliedMigration = (path: string): boolean => /migrations\/0(?:0\d\d|1[0-4]\d|150)-/.test(path)

const isText = (path: string): boolean =>
  /\.(?:ts|tsx|mjs|js|py|sql|md|ya?ml|css|html)$|containerfile$|\/run$/i.test(path) &&
  !/node_modules|\/dist\/|\.gen\.ts$|\.d\.ts$|^scripts\/voice/.test(path) &&
  !isAppliedMigration(path)

const filesToRead = (): string[] => [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter(isText),
  ),
]

const main = (): void => {
  const violations = new Map<string, string>()
  for (const path of filesToRead()) {
    for (const { line, match } of findOldVoice(readSource(path), path.endsWith('.md') ? 'document' : 'code')) {
      violations.set(`${path}: ${match}`, `${path}:${line} “${match}” is not plain English`)
    }
  }
  conclude(judge(violations, voiceExceptions, 'scripts/voice-rules.ts'), `${filesToRead().length} files`)
}

if (import.meta.main) main()
