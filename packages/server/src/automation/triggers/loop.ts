// A background loop: runs when woken, and again after the rest that its work returns. One turn at a time.
import { apart } from '#platform/fairness/work.ts'

export type Loop = { wake(): void; stop(): Promise<void> }

/**
 * `turn` returns how long the loop may rest; 0 runs another turn at once. A failed turn is reported, and the loop
 * rests.
 */
export const startLoop = (
  turn: () => Promise<number>,
  { restMs, onError }: { restMs: number; onError: (error: unknown) => void },
): Loop => {
  let timer: NodeJS.Timeout | undefined
  let isTurning = false
  let running: Promise<void> = Promise.resolve()
  let woken = false
  let stopped = false

  const run = async (): Promise<void> => {
    woken = false
    const askedMs = await (async () => turn())().catch((error: unknown) => {
      onError(error)
      return restMs
    })
    isTurning = false
    if (stopped) return
    if (woken || askedMs <= 0) wake()
    else timer = setTimeout(wake, Math.min(askedMs, restMs))
  }

  const wake = (): void => {
    woken = true
    if (isTurning || stopped) return
    isTurning = true
    clearTimeout(timer)
    running = apart(run)
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
