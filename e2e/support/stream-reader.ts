// A reader of a task's stream that loses its connection at random and resumes, and its transcript: the merged state, as
// clients compute it, and the statuses in order.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export type Transcript = {
  state: Record<string, unknown>
  statuses: number[]
  /** Descriptions of the server's faults. */
  complaints: string[]
  connections: number
}

export type ReaderOptions = {
  /** A function is called before every connection: the next one may use another server. */
  url: string | (() => string)
  headers: Record<string, string>
  encoding: 'sse' | 'ndjson'
  /** Servers may stop: a connection that fails, breaks or ends early counts as a break. */
  serversChange?: boolean
  /** The probability from 0 to 1 that the connection breaks after an event. Above 0 it also breaks at random times. */
  breakChance: number
}

type Event = { id: number | null; whole: boolean; data: Record<string, unknown> }

const accepts = { sse: 'text/event-stream', ndjson: 'application/x-ndjson' }
const completed = 10
const maxConnectionMs = 2_000

export const readToTheEnd = async (options: ReaderOptions): Promise<Transcript> => {
  const transcript: Transcript = { state: {}, statuses: [], complaints: [], connections: 0 }
  let lastId: number | null = null
  for (;;) {
    transcript.connections += 1
    const outcome = await attempt(options, transcript, lastId, (id) => {
      lastId = id
    }).catch((error: unknown) => {
      if (options.serversChange) return 'broken'
      throw error
    })
    if (outcome === 'ended') return transcript
    await sleep(Math.random() * 120)
  }
}

const attempt = async (
  options: ReaderOptions,
  transcript: Transcript,
  lastId: number | null,
  onId: (id: number) => void,
): Promise<'broken' | 'ended'> => {
  const { status, answer, asking } = await connect(options, lastId)
  // The final event was received before the connection broke.
  if (status === 204) return 'ended'
  if (status !== 200) throw new Error(`A stream answered ${status}`)
  return follow(answer, asking, options, transcript, onId)
}

const connect = async ({ url, headers, encoding }: ReaderOptions, lastId: number | null) => {
  const resume: Record<string, string> = lastId === null ? {} : { 'last-event-id': String(lastId) }
  const asking = request(typeof url === 'string' ? url : url(), {
    agent: false,
    headers: { ...headers, accept: accepts[encoding], ...resume },
  })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.on('response', resolve).on('error', reject).end()
  })
  return { status: answer.statusCode ?? 0, answer, asking }
}

const follow = async (
  answer: IncomingMessage,
  asking: ClientRequest,
  { encoding, breakChance, serversChange = false }: ReaderOptions,
  transcript: Transcript,
  onId: (id: number) => void,
): Promise<'broken' | 'ended'> => {
  let known: number | null = null
  let first = true
  let cut = false
  const cutLater = () => {
    cut = true
    asking.destroy()
  }
  const timer = breakChance > 0 ? setTimeout(cutLater, Math.random() * maxConnectionMs) : undefined
  try {
    for await (const event of eventsOf(answer, encoding)) {
      if (first && !event.whole) transcript.complaints.push('the first event is not the whole task')
      if (!first && !event.whole && event.id !== null && known !== null && event.id !== known + 1)
        transcript.complaints.push(`event ${event.id} follows ${known}`)
      first = false
      if (event.id !== null) {
        known = event.id
        onId(event.id)
      }
      take(transcript, event)
      if (Math.random() < breakChance) return 'broken'
    }
  } catch (error) {
    if (cut) return 'broken'
    throw error
  } finally {
    clearTimeout(timer)
    asking.destroy()
  }
  if (!(Number(transcript.state.status) < completed)) return 'ended'
  if (serversChange) return 'broken'
  transcript.complaints.push('the stream ended before its task')
  return 'ended'
}

const take = (transcript: Transcript, { data }: Event): void => {
  transcript.state = { ...transcript.state, ...data }
  const status = Number(transcript.state.status)
  if (transcript.statuses.at(-1) !== status) transcript.statuses.push(status)
}

async function* eventsOf(answer: IncomingMessage, encoding: ReaderOptions['encoding']): AsyncGenerator<Event> {
  const separator = encoding === 'sse' ? '\n\n' : '\n'
  let text = ''
  for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    const parts = text.split(separator)
    text = parts.pop() ?? ''
    for (const part of parts) {
      const event = encoding === 'sse' ? readFrame(part) : readLine(part)
      if (event && !isQueueReason(event)) yield event
    }
  }
}

/** The reason why a run waits is not a numbered change: its update repeats the number of the last one. */
const isQueueReason = ({ whole, data }: Event): boolean => !whole && 'queue_reason' in data

const readFrame = (frame: string): Event | null => {
  if (!frame.startsWith('event: update\n')) return null
  const id = /^id: (\d+)$/m.exec(frame)?.[1]
  const data = /^data: (.*)$/m.exec(frame)?.[1] ?? ''
  return unwrap(JSON.parse(data), id === undefined ? null : Number(id))
}

const readLine = (line: string): Event | null => {
  const value = JSON.parse(line) as Record<string, unknown>
  return value.type === 'heartbeat' || value.event !== undefined ? null : unwrap(value, null)
}

const unwrap = (value: Record<string, unknown>, id: number | null): Event =>
  Array.isArray(value.fields)
    ? { id, whole: false, data: value.data as Record<string, unknown> }
    : { id, whole: true, data: value }
