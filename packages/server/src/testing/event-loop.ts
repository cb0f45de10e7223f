// How long one piece of work kept the event loop to itself. Counted in processor time of this thread: on a busy machine
// a clock on the wall would blame the program for what others did.
const probeUs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Processor time that this thread has used for `work` in all its pieces: where it is short, each of them was. */
export const ownTime = async <T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> => {
  const before = probeUs()
  const result = await work()
  return { result, ms: (probeUs() - before) / 1000 }
}

/** Nobody else is served while a piece of work runs; longer than this is a defect. */
export const longestPieceMs = 50

export type LoopWatch = {
  /** The longest piece since the last time this was asked, in milliseconds. */
  longest(): number
  stop(): void
}

/** Looks at the processor's time once in every turn of the loop. */
export const watchLoop = (): LoopWatch => {
  let longestUs = 0
  let before = probeUs()
  let running = true
  const look = (): void => {
    const now = probeUs()
    longestUs = Math.max(longestUs, now - before)
    before = now
    if (running) setImmediate(look)
  }
  setImmediate(look)
  return {
    longest: () => {
      const ms = longestUs / 1000
      longestUs = 0
      before = probeUs()
      return ms
    },
    stop: () => {
      running = false
    },
  }
}

/**
 * The longest piece of `work`. What is slow only once (code that was not compiled yet, a collection of garbage) does not
 * count: of several rounds the best one does.
 */
export const longestPiece = async (work: () => Promise<unknown>, rounds = 3): Promise<number> => {
  const watch = watchLoop()
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round += 1) {
    watch.longest()
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    best = Math.min(best, watch.longest())
  }
  watch.stop()
  return best
}
