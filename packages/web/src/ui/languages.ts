// CEL and Markdown modes for the editor, line by line. The full grammars would be larger than the editor itself.
import type { StreamParser, StringStream } from '@codemirror/language'

const celWords = new Set(['in', 'has', 'all', 'exists', 'exists_one', 'map', 'filter', 'size', 'matches'])
const celAtoms: Readonly<Record<string, string>> = { true: 'bool', false: 'bool', null: 'null' }

const celString =
  /^[rRbB]{0,2}("""(?:\\.|(?!""")[^\\\n])*"""|'''(?:\\.|(?!''')[^\\\n])*'''|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)/

const celName = (stream: StringStream): string => {
  const isField = stream.string[stream.start - 1] === '.'
  stream.match(/^\w+/)
  const word = stream.current()
  const isCalled = /^\s*\(/.test(stream.string.slice(stream.pos))
  if (isCalled || (word === 'in' && !isField)) return celWords.has(word) ? 'keyword' : 'variableName'
  return isField ? 'propertyName' : (celAtoms[word] ?? 'variableName')
}

export const cel: StreamParser<null> = {
  name: 'cel',
  startState: () => null,
  token: (stream) => {
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match(celString)) return 'string'
    if (stream.match(/^(0x[\da-f]+|\d+(\.\d+)?(e[+-]?\d+)?)u?/i)) return 'number'
    if (/[A-Za-z_]/.test(stream.peek() ?? '')) return celName(stream)
    if (stream.match(/^(&&|\|\||[=!<>]=|[-+*/%!<>?:])/)) return 'operator'
    stream.next()
    return null
  },
}

type MarkdownState = { fence: string | null; isHeading: boolean }

/** Marks at the start of a line; undefined when the line starts with text. */
const markdownHead = (stream: StringStream, state: MarkdownState): string | undefined => {
  const fence = stream.match(/^ {0,3}(`{3,}|~{3,})[^`]*$/)
  if (fence) {
    state.fence =
      stream
        .current()
        .trim()
        .match(/^(`+|~+)/)?.[0] ?? null
    return 'monospace'
  }
  if (stream.match(/^ {0,3}#{1,6}(?=\s|$)/)) {
    state.isHeading = true
    return 'heading'
  }
  if (stream.match(/^ {0,3}([-*_])( *\1){2,} *$/)) return 'contentSeparator'
  if (stream.match(/^ {0,3}>/)) return 'quote'
  if (stream.match(/^\s*([-*+]|\d{1,9}[.)])(?=\s)/)) return 'list'
  return undefined
}

const inline: readonly (readonly [RegExp, string])[] = [
  [/^(`+)(?!`).*?[^`]\1(?!`)/, 'monospace'],
  [/^(\*\*|__)(?=\S).*?\S\1/, 'strong'],
  [/^(\*|_)(?=[^\s*_])(?:.*?[^\s*_])?\1(?!\w)/, 'emphasis'],
  [/^!?\[[^\]]*\]\([^)]*\)/, 'link'],
  [/^<https?:\/\/[^>\s]+>/, 'link'],
]

const markdownFence = (stream: StringStream, state: MarkdownState): string => {
  if (state.fence !== null && stream.string.trim().startsWith(state.fence)) state.fence = null
  stream.skipToEnd()
  return 'monospace'
}

export const markdown: StreamParser<MarkdownState> = {
  name: 'markdown',
  startState: () => ({ fence: null, isHeading: false }),
  token: (stream, state) => {
    if (stream.sol()) {
      state.isHeading = false
      if (state.fence !== null) return markdownFence(stream, state)
      const head = markdownHead(stream, state)
      if (head !== undefined) return head
    }
    if (state.isHeading) {
      stream.skipToEnd()
      return 'heading'
    }
    for (const [pattern, name] of inline) if (stream.match(pattern)) return name
    // Reads a whole word: an underscore inside it is not emphasis.
    if (!stream.match(/^[^\s\W_]+(_[^\s\W_]+)*/)) stream.next()
    return null
  },
}
