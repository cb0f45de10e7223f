// Keeps a stream of the server open while it is followed: same headers as every call, reconnects with growing pauses,
// ends at `done`.
import { requestOf, type StreamName } from '@millrace/contract/call'
import { headersOf } from './call.ts'
import { pause } from './pause.ts'
import { readEvents, type ServerEvent } from './sse.ts'

export type StreamState = 'connecting' | 'live' | 'waiting' | 'ended'

export type Follow = {
  path?: Readonly<Record<string, string>>
  onEvent: (event: ServerEvent) => void
  onState?: (state: StreamState) => void
}

const firstPauseMs = 500
const maxPauseMs = 15_000

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.releaseLock()
  }
}

/** One connection; true when the stream has ended. */
const readOnce = async (name: StreamName, follow: Follow, signal: AbortSignal): Promise<boolean> => {
  const { path } = requestOf(name, { path: follow.path ?? {} })
  const response = await fetch(path, { headers: headersOf({ accept: 'text/event-stream' }), signal })
  if (response.status === 204 || (response.status >= 400 && response.status < 500)) return true
  if (!response.ok || !response.body) return false
  follow.onState?.('live')
  for await (const event of readEvents(chunksOf(response.body))) {
    if (event.name === 'done') return true
    if (event.name !== 'error') follow.onEvent(event)
  }
  return false
}

const removals = new Set<Promise<unknown>>()

/** Deleting a resource ends its streams; this prevents reconnects until the page has left. */
export const duringRemoval = async (work: () => Promise<void>): Promise<void> => {
  const removal = work()
  removals.add(removal)
  await removal.finally(() => removals.delete(removal))
}

const pauseBeforeDialling = async (pauseMs: number, signal: AbortSignal): Promise<void> => {
  await pause(pauseMs, signal)
  while (removals.size > 0 && !signal.aborted) {
    await Promise.allSettled(removals)
    await pause(firstPauseMs, signal)
  }
}

/** Returns the function that stops following. */
export const followStream = (name: StreamName, follow: Follow): (() => void) => {
  const leave = new AbortController()
  const { signal } = leave
  const run = async (): Promise<void> => {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      follow.onState?.('connecting')
      const startedMs = Date.now()
      const ended = await readOnce(name, follow, signal).catch(() => false)
      if (signal.aborted) return
      if (ended) return follow.onState?.('ended')
      follow.onState?.('waiting')
      if (Date.now() - startedMs > maxPauseMs) pauseMs = firstPauseMs
      await pauseBeforeDialling(pauseMs, signal)
    }
  }
  void run()
  return () => leave.abort()
}
