// What a stream was told and has not read yet. A reader that falls too far behind loses its backlog and looks at the whole
// again instead, so memory stays bounded however slowly somebody reads.

export type Taken<T> = {
  readonly items: readonly T[]
  /** More came than was kept: the items are not all. */
  readonly dropped: boolean
  /** Something may have been missed: whoever reads should look for itself. */
  readonly doubted: boolean
}

export type Inbox<T> = {
  put(item: T, weightBytes?: number): void
  lookAgain(): void
  /** Everything that waits; where nothing does, what comes next, or nothing once the signal is aborted. */
  take(): Promise<Taken<T>>
  close(): void
}

export const createInbox = <T>(
  limits: { readonly items: number; readonly bytes?: number },
  signal: AbortSignal,
): Inbox<T> => {
  const { items: mostItems, bytes: mostBytes = Number.POSITIVE_INFINITY } = limits
  let items: T[] = []
  let bytes = 0
  let dropped = false
  let doubted = false
  let wake: () => void = () => {}
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)
  return {
    put: (item, weightBytes = 0) => {
      // One item is kept whatever it weighs.
      const isTooHeavy = items.length > 0 && bytes + weightBytes > mostBytes
      if (items.length >= mostItems || isTooHeavy) {
        dropped = true
        items = []
        bytes = 0
      } else if (!dropped) {
        items.push(item)
        bytes += weightBytes
      }
      wake()
    },
    lookAgain: () => {
      doubted = true
      wake()
    },
    take: async () => {
      while (items.length === 0 && !dropped && !doubted && !signal.aborted)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const taken = { items, dropped, doubted }
      items = []
      bytes = 0
      dropped = false
      doubted = false
      return taken
    },
    close: () => signal.removeEventListener('abort', onAbort),
  }
}
