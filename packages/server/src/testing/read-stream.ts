// Reads an event stream of a listening server one event at a time, the way a browser would.

export type ReadEvent = {
  event: string
  id?: string
  // biome-ignore lint/suspicious/noExplicitAny: assertions read arbitrary events
  data: any
}

export type ReadStream = {
  status: number
  /** The next event; heartbeats are passed over. Null when the server has ended the stream. */
  next(): Promise<ReadEvent | null>
  /** Every event up to the end. */
  rest(): Promise<ReadEvent[]>
  close(): void
}

export const readStream = async (url: string, headers: Record<string, string>): Promise<ReadStream> => {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<ReadEvent | null> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end < 0) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return null
        text += value
        continue
      }
      const frame = text.slice(0, end)
      text = text.slice(end + 2)
      if (!frame.startsWith(':')) return parseFrame(frame)
    }
  }
  return {
    status: response.status,
    next,
    rest: async () => {
      const events: ReadEvent[] = []
      for (let event = await next(); event; event = await next()) events.push(event)
      return events
    },
    close: () => abort.abort(),
  }
}

const parseFrame = (frame: string): ReadEvent => {
  const fields = Object.fromEntries(
    frame.split('\n').map((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const { event = 'message', id, data = 'null' } = fields
  return { event, ...(id !== undefined && { id }), data: JSON.parse(data) }
}
