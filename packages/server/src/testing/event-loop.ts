import { PerformanceObserver } from 'node:perf_hooks'

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

/**
 * A call of a test is made once, so that code which never ran before is in its figure. What such calls may take at most is
 * several times what they take, and far less than a defect does.
 */
export const longestOnceMs = 4 * longestPieceMs

export type CallWatch = {
  during<T>(name: string, work: () => Promise<T>): Promise<T>
  /** The calls that kept everybody waiting, in words. */
  blocking(): Promise<string[]>
}

type Suspect = { name: string; ms: number; from: number; to: number; slowness: number }

const lookMs = 10

/**
 * Looks at calls that are alone on the loop: a timer that comes late while this thread used the processor was kept waiting.
 * Collections of garbage do not count, which take as long as a worker of the tests has run.
 */
export const watchCalls = (): CallWatch => {
  const suspects: Suspect[] = []
  let running = 0
  let begun = 0
  return {
    during: async (name, work) => {
      running += 1
      begun += 1
      const number = begun
      const startedAlone = running === 1
      const from = performance.now()
      let longestUs = 0
      let before = probeUs()
      const look = (): void => {
        const now = probeUs()
        longestUs = Math.max(longestUs, now - before)
        before = now
      }
      const timer = setInterval(look, lookMs)
      try {
        return await work()
      } finally {
        look()
        clearInterval(timer)
        running -= 1
        const ms = longestUs / 1000
        if (startedAlone && begun === number && ms > longestOnceMs)
          suspects.push({ name, ms, from, to: performance.now(), slowness: slowness() })
      }
    },
    blocking: async () => {
      // Collections are told of in a later turn.
      if (suspects.length > 0) await new Promise((resolve) => setTimeout(resolve, lookMs))
      return suspects
        .filter((suspect) => suspect.ms - collectingMs(suspect) > longestOnceMs * suspect.slowness)
        .map(({ name, ms }) => `${name.slice(0, 200)}: ${Math.round(ms)} ms`)
    },
  }
}

const collections: { from: number; to: number }[] = []
const maxCollections = 10_000
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    if (duration > 1) collections.push({ from: startTime, to: startTime + duration })
  collections.splice(0, collections.length - maxCollections)
}).observe({ entryTypes: ['gc'] })

const collectingMs = ({ from, to }: Suspect): number =>
  collections.reduce((sum, pause) => sum + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)), 0)

const ordinary = Array.from({ length: 500 }, (_, index) => ({ id: index, name: `name ${index}`, tags: ['a', 'b'] }))
const ordinaryMs = 5

/** How many times as long as it should a piece of ordinary work takes here and now; never less than once. */
export const slowness = (): number => {
  const rounds = Array.from({ length: 3 }, () => {
    const before = probeUs()
    for (let round = 0; round < 20; round += 1) JSON.parse(JSON.stringify(ordinary))
    return (probeUs() - before) / 1000
  })
  return Math.max(1, Math.min(...rounds) / ordinaryMs)
}
