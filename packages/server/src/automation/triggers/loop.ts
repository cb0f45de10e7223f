// A background loop: runs when woken, and again after the rest that its work returns. One turn at a time.
import { asSharedWork } from '#platform/fairness/work.ts'

export type BackgroundLoop = { wake(): void; stop(): Promise<void> }

/**
 * `turn` returns how long the loop may rest; 0 runs another turn at once. A failed turn is reported, and the loop
 * rests.
 */
export const startLoop = (
  turn: () => Promise<number>,
  { restMs, onError }: { restMs: number; onError: (error: unknown) => void },
): BackgroundLoop => {
  let timer: NodeJS.Timeout | undefined
  let isTurning = false
  let running: Promise<void> = Promise.resolve()
  let woken = false
  let stopped = false

  const run = async (): Promise<void> => {
    woken = false
    const requestedMs = await (async () => turn())().catch((error: unknown) => {
      onError(error)
      return restMs
    })
    isTurning = false
    if (stopped) return
    if (woken || requestedMs <= 0) wake()
    else timer = setTimeout(wake, Math.min(requestedMs, restMs))
  }

  const wake = (): void => {
    woken = true
    if (isTurning || stopped) return
    isTurning = true
    clearTimeout(timer)
    running = asSharedWork(run)
  }

  wake()
  return {
    wake,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
