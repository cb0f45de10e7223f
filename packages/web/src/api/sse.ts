// Parses an event stream from bytes. Pure apart from the source.

export type ServerEvent = { name: string; id: string | undefined; data: unknown }

const parseBlock = (block: string): ServerEvent | null => {
  let name = 'message'
  let id: string | undefined
  const lines: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7)
    else if (line.startsWith('id: ')) id = line.slice(4)
    else if (line.startsWith('data: ')) lines.push(line.slice(6))
  }
  return lines.length === 0 ? null : { name, id, data: JSON.parse(lines.join('\n')) }
}

export async function* readEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of bytes) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parseBlock(text.slice(0, end))
      text = text.slice(end + 2)
      if (event) yield event
    }
  }
}

/** Some updates are complete, some are `{data, fields}` with only the named fields. */
export const applyUpdate = <T extends object>(cached: T | undefined, update: unknown): T | undefined => {
  const partial = update as { data?: Partial<T>; fields?: readonly string[] }
  if (!Array.isArray(partial.fields)) return update as T
  return cached === undefined ? undefined : { ...cached, ...partial.data }
}
