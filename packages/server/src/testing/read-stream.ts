// Reads an event stream of a listening server: event by event, or as one answer.
import type { Answer, As, World } from './world.ts'

export type ReadEvent = {
  event: string
  id?: string
  // biome-ignore lint/suspicious/noExplicitAny: assertions read arbitrary events
  data: any
}

export type ReadStream = {
  status: number
  /** The next event without heartbeats. Null if the server ended the stream. */
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

export type Listening = {
  as: As
  path: string
  accept?: string
  /** Runs once the stream is open. */
  happen?: () => Promise<unknown>
  /** The listener disconnects when the text matches. */
  until: RegExp
  team?: string
}

/** A stream as an answer: reads until the text matches, then disconnects. */
export const listen = async (world: World, listening: Listening): Promise<Answer> => {
  const { as, path, accept = 'text/event-stream', happen, until, team = world.team.id } = listening
  const leave = new AbortController()
  const credential = as === null ? {} : { authorization: `Bearer ${await world.token(as)}`, 'x-team-id': team }
  const response = await fetch(`${await world.listen()}${path}`, {
    headers: { accept, ...credential },
    signal: leave.signal,
  })
  await happen?.()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (until.test(text)) break
  }
  leave.abort()
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, json: {}, text, data: undefined, code: undefined }
}
