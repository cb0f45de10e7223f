import { setTimeout as sleep } from 'node:timers/promises'

// How long one piece of work kept the event loop to itself. Counted in processor time of this thread: on a busy machine
// a clock on the wall would blame the program for what others did. Even so a machine that is lent to others now and then
// makes any work look ten times as long, so that nothing is judged by one reading.
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

const rounds = 15
const pauseMs = 20

/**
 * The least of what `measure` reads, which is asked again only while it reads too much. What is slow only now and then
 * (code that was not compiled yet, a collection of garbage, a machine that others use) does not count: a defect is slow
 * each time. Between two readings it waits, a little longer each time, for the machine to be its own again.
 */
export const leastOf = async (measure: () => Promise<number>, enough = longestPieceMs): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && least >= enough; round += 1) {
    if (round > 0) await sleep(round * pauseMs)
    least = Math.min(least, await measure())
  }
  return least
}

const pieceOf = async (work: () => Promise<unknown>): Promise<number> => {
  const watch = watchLoop()
  try {
    await work()
    await new Promise((resolve) => setImmediate(resolve))
    return watch.longest()
  } finally {
    watch.stop()
  }
}

/** The longest piece of `work`, at its best. */
export const longestPiece = (work: () => Promise<unknown>, enough = longestPieceMs): Promise<number> =>
  leastOf(() => pieceOf(work), enough)

/** Some of everything that a request does: objects, texts, a map, JSON. */
const someWork = (): number => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `row-${n}`, n }))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return rows.reduce((sum, { id }) => sum + (byId.get(id)?.n ?? 0), JSON.stringify(rows).length)
}

/** What that takes on a machine for which the limit above is meant. */
const ordinaryMs = 10
const speedReadings = 5

/** Whether a piece is too long, on this machine as it is now: what bounds work counts steps, not time, and some need twice. */
export const isTooLong = async (ms: number): Promise<boolean> => {
  if (ms <= longestPieceMs) return false
  const readings: number[] = []
  for (let round = 0; round < speedReadings; round += 1) readings.push(await pieceOf(async () => someWork()))
  // Not the least: the moment at which the machine is fastest is not the one at which the piece was measured.
  const workMs = readings.sort((a, b) => a - b)[Math.floor(speedReadings / 2)] ?? 0
  return ms > longestPieceMs * Math.max(1, workMs / ordinaryMs)
}

export type CallWatch = {
  during<T>(name: string, work: (signal?: AbortSignal) => Promise<T>): Promise<T>
  /** The calls that kept everybody waiting, in words. */
  blocking(): Promise<string[]>
}

type Suspect = { name: string; work: (signal: AbortSignal) => Promise<unknown> }

const lookMs = 10
const repeatMs = 5_000

/**
 * Looks at calls that are alone on the loop: a timer that comes late while this thread used the processor was kept waiting.
 * Such calls are made again when the tests are over and what they change matters to nobody, and count if they are as long
 * each time.
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
        if (startedAlone && begun === number && longestUs / 1000 > longestPieceMs) suspects.push({ name, work })
      }
    },
    blocking: async () => {
      const blocking: string[] = []
      for (const { name, work } of suspects.splice(0)) {
        // A call that waits for something may now wait for ever.
        const ms = await longestPiece(() => work(AbortSignal.timeout(repeatMs)).catch(() => {}))
        if (await isTooLong(ms)) blocking.push(`${name.slice(0, 200)}: ${Math.round(ms)} ms`)
      }
      return blocking
    },
  }
}
