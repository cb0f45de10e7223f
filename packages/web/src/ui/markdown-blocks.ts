// Splits Markdown into independent blocks, so that only the end of a growing text is parsed again. Pure.

const fence = /^\s*(`{3,}|~{3,})/
/** Continues the block above: an item of the same list, or indented text. */
const continuesBlock = /^(?:\s|[-*+](?:\s|$)|\d{1,9}(?:[.)]|$))/
/** Reference definitions apply to the whole text, so such a text is one block. */
const referenceDefinition = /^\[[^[\]]+\]:/m

/** Blocks whose concatenation is the text. */
export const blocksOf = (text: string): string[] => {
  if (referenceDefinition.test(text)) return [text]
  const blocks: string[] = []
  let block = ''
  let open = ''
  let isAfterBlank = false
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const isBlank = line.trim() === ''
    if (open === '' && isAfterBlank && !isBlank && !continuesBlock.test(line)) {
      blocks.push(block)
      block = ''
    }
    const mark = fence.exec(line)?.[1]
    if (open === '') open = mark ?? ''
    else if (mark?.startsWith(open) && line.trim() === mark) open = ''
    block += line
    isAfterBlank = isBlank
  }
  return block === '' ? blocks : [...blocks, block]
}

const openLink = /\[[^\]\n]*(?:\]\([^)\n]*)?$/
/** The search takes quadratic time, so it is limited to the end of the text. */
const maxOpenLink = 1_000

const isOdd = (text: string, mark: RegExp): boolean => (text.match(mark)?.length ?? 0) % 2 === 1

const isInFence = (block: string): boolean => {
  const marks = block.split('\n').filter((line) => fence.test(line))
  return marks.length % 2 === 1
}

/**
 * Completes the end of a text that is still being written: open marks are closed, and a line is held back that would
 * turn the line above into a heading.
 */
export const completeMarkup = (block: string): string => {
  if (isInFence(block)) return block
  const body = block.replace(/\n[ \t]*(?:-+|=+)$/, '')
  const code = isOdd(body, /`/g) ? '`' : ''
  const plain = (body + code).replace(/`[^`]*`/g, '')
  const link = openLink.exec(plain.slice(-maxOpenLink))
  const shown = link && code === '' && body.endsWith(link[0]) ? body.slice(0, -link[0].length) : body
  return `${shown.trimEnd()}${code}${isOdd(plain, /\*\*/g) ? '**' : ''}`
}
