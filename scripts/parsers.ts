// Bytes from outside become values through `@millrace/contract/parse-untrusted` only, which limits their size, depth and
// parts before they are parsed. Any other parser needs a reason that its input is our own or is already limited.

import { trustedParsers } from './parsers-exceptions.ts'
import { conclude, judge, readSource, sourceFiles } from './source-files.ts'

// The CLI parses what its own user and server send to it.
const folders = ['packages/server/src', 'packages/contract/src', 'packages/engine/src'] as const

const parsers: Readonly<Record<string, RegExp>> = {
  'JSON.parse': /\bJSON\.parse\(/,
  '.json()': /\.json\(\)/,
  // Objects and arrays are written; a text is parsed.
  URLSearchParams: /\bnew URLSearchParams\((?!\)|\{|\[)/,
  yaml: /from 'yaml'/,
}

const withoutComments = (text: string): string => text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')

const violations = new Map<string, string>()
const paths = sourceFiles(...folders)
for (const path of paths) {
  const text = withoutComments(readSource(path))
  for (const [name, pattern] of Object.entries(parsers))
    if (pattern.test(text)) violations.set(`${path} ${name}`, `${path} uses ${name} instead of parse-untrusted`)
}

conclude(
  judge(violations, trustedParsers, 'scripts/parsers-exceptions.ts'),
  `${paths.length} files, ${violations.size} parsers of trusted data, all with a reason`,
)
