// Markdown in blocks that stand for themselves, so that a text that grows is read anew at its end only. Pure.

const fence = /^\s*(`{3,}|~{3,})/
/** Belongs to what is above: an item of the same list, or what is set in under one. */
const goesOn = /^(?:\s|[-*+](?:\s|$)|\d{1,9}(?:[.)]|$))/
/** Names that are resolved over the whole text: such a text is one block. */
const named = /^\[[^[\]]+\]:/m

/** Blocks whose texts, one after the other, are the text. */
export const blocksOf = (text: string): string[] => {
  if (named.test(text)) return [text]
  const blocks: string[] = []
  let block = ''
  let open = ''
  let isAfterBlank = false
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const isBlank = line.trim() === ''
    if (open === '' && isAfterBlank && !isBlank && !goesOn.test(line)) {
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

const odd = (text: string, mark: RegExp): boolean => (text.match(mark)?.length ?? 0) % 2 === 1

const isInFence = (block: string): boolean => {
  const marks = block.split('\n').filter((line) => fence.test(line))
  return marks.length % 2 === 1
}

/**
 * The end of a text that is still being written, as it will most likely go on: what was opened is closed, and a line is held
 * back that would for a moment make a heading of the one above.
 */
export const mended = (block: string): string => {
  if (isInFence(block)) return block
  const held = block.replace(/\n[ \t]*(?:-+|=+)$/, '')
  const code = odd(held, /`/g) ? '`' : ''
  const plain = (held + code).replace(/`[^`]*`/g, '')
  const link = openLink.exec(plain.slice(-maxOpenLink))
  const kept = link && code === '' && held.endsWith(link[0]) ? held.slice(0, -link[0].length) : held
  return `${kept.trimEnd()}${code}${odd(plain, /\*\*/g) ? '**' : ''}`
}
