// Queues messages for a stream. A reader that is too slow loses its backlog and reloads the state, so memory is
// bounded.

export type InboxBatch<T> = {
  readonly items: readonly T[]
  /** The backlog was too large, so items are missing. */
  readonly dropped: boolean
  /** A message may be missing, so the reader should reload. */
  readonly mayHaveMissed: boolean
}

export type Inbox<T> = {
  put(item: T, weightBytes?: number): void
  requestReload(): void
  /** Returns all queued items; waits if there are none. Returns nothing after the signal is aborted. */
  take(): Promise<InboxBatch<T>>
  close(): void
}

export const createInbox = <T>(
  limits: { readonly items: number; readonly bytes?: number },
  signal: AbortSignal,
): Inbox<T> => {
  const { items: maxItems, bytes: maxBytes = Number.POSITIVE_INFINITY } = limits
  let items: T[] = []
  let bytes = 0
  let dropped = false
  let mayHaveMissed = false
  let wake: () => void = () => {}
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  return {
    put: (item, weightBytes = 0) => {
      // One item is queued whatever its size is.
      const isTooHeavy = items.length > 0 && bytes + weightBytes > maxBytes
      if (items.length >= maxItems || isTooHeavy) {
        dropped = true
        items = []
        bytes = 0
      } else if (!dropped) {
        items.push(item)
        bytes += weightBytes
      }
      wake()
    },
    requestReload: () => {
      mayHaveMissed = true
      wake()
    },
    take: async () => {
      while (items.length === 0 && !dropped && !mayHaveMissed && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const taken = { items, dropped, mayHaveMissed }
      items = []
      bytes = 0
      dropped = false
      mayHaveMissed = false
      return taken
    },
    close: () => signal.removeEventListener('abort', onAbort),
  }
}
