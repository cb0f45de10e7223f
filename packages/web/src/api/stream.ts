// Keeps a stream of the server open for as long as somebody looks: reads with the same headers as every call, dials again
// with growing pauses, and stops at `done`.
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
const longestPauseMs = 15_000

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.releaseLock()
  }
}

/** One connection; true when the stream has come to its end. */
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

/** What is deleted ends its streams: nobody dials again before it is gone from the screen too. */
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

/** Returns how to stop following. */
export const followStream = (name: StreamName, follow: Follow): (() => void) => {
  const leave = new AbortController()
  const { signal } = leave
  const run = async (): Promise<void> => {
    for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      follow.onState?.('connecting')
      const startedMs = Date.now()
      const ended = await readOnce(name, follow, signal).catch(() => false)
      if (signal.aborted) return
      if (ended) return follow.onState?.('ended')
      follow.onState?.('waiting')
      if (Date.now() - startedMs > longestPauseMs) pauseMs = firstPauseMs
      await pauseBeforeDialling(pauseMs, signal)
    }
  }
  void run()
  return () => leave.abort()
}
