import { setTimeout as sleep } from 'node:timers/promises'

// Measures how long one piece of work blocks the event loop. Uses the processor time of this thread, because wall time
// includes other processes. Shared machines are sometimes ten times slower, so no decision is based on one reading.
const probeUs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** Processor time that this thread used for `work` in total: an upper bound for each piece. */
export const ownTime = async <T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> => {
  const before = probeUs()
  const result = await work()
  return { result, ms: (probeUs() - before) / 1000 }
}

/** No other request is served while a piece of work runs; longer is a defect. */
export const maxPieceMs = 50

export type LoopWatch = {
  /** The longest piece since the last call, in milliseconds. */
  longest(): number
  stop(): void
}

/** Reads the processor time in every turn of the loop. */
export const watchLoop = (): LoopWatch => {
  let longestUs = 0
  let before = probeUs()
  let running = true
  const sample = (): void => {
    const now = probeUs()
    longestUs = Math.max(longestUs, now - before)
    before = now
    if (running) setImmediate(sample)
  }
  setImmediate(sample)
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
 * The minimum of several readings, repeated only while they are too high. Occasional slowness (uncompiled code, garbage
 * collection, a busy machine) does not count, because a defect is slow each time. The pauses between readings grow.
 */
export const minimumOf = async (measure: () => Promise<number>, enough = maxPieceMs): Promise<number> => {
  let minimum = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && minimum >= enough; round += 1) {
    if (round > 0) await sleep(round * pauseMs)
    minimum = Math.min(minimum, await measure())
  }
  return minimum
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

/** The longest piece of `work`, as the minimum of several runs. */
export const longestPiece = (work: () => Promise<unknown>, enough = maxPieceMs): Promise<number> =>
  minimumOf(() => pieceOf(work), enough)

/** Typical work of a request: objects, strings, a map, JSON. */
const someWork = (): number => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({ id: `row-${n}`, n }))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return rows.reduce((sum, { id }) => sum + (byId.get(id)?.n ?? 0), JSON.stringify(rows).length)
}

/** The duration of that work on a machine for which the limit is meant. */
const ordinaryMs = 10
const speedReadings = 5

/**
 * True if a piece is too long for the current speed of this machine. Code is bounded in steps, not in time, and a slow
 * machine needs longer.
 */
export const isTooLong = async (ms: number): Promise<boolean> => {
  if (ms <= maxPieceMs) return false
  const readings: number[] = []
  for (let round = 0; round < speedReadings; round += 1) readings.push(await pieceOf(async () => someWork()))
  // The median, because the piece was not measured at the machine's fastest moment.
  const workMs = readings.sort((a, b) => a - b)[Math.floor(speedReadings / 2)] ?? 0
  return ms > maxPieceMs * Math.max(1, workMs / ordinaryMs)
}

export type CallWatch = {
  during<T>(name: string, work: (signal?: AbortSignal) => Promise<T>): Promise<T>
  /** Descriptions of the calls that blocked the loop. */
  blocking(): Promise<string[]>
}

type SlowCall = { name: string; work: (signal: AbortSignal) => Promise<unknown> }

const sampleMs = 10
const repeatMs = 5_000

/**
 * Watches calls that run alone on the loop: a timer that fires late while this thread used the processor was blocked.
 * Such calls are repeated after the tests, when their effects no longer matter, and count if they block each time.
 */
export const watchCalls = (): CallWatch => {
  const suspects: SlowCall[] = []
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
      const sample = (): void => {
        const now = probeUs()
        longestUs = Math.max(longestUs, now - before)
        before = now
      }
      const timer = setInterval(sample, sampleMs)
      try {
        return await work()
      } finally {
        sample()
        clearInterval(timer)
        running -= 1
        if (startedAlone && begun === number && longestUs / 1000 > maxPieceMs) suspects.push({ name, work })
      }
    },
    blocking: async () => {
      const blocking: string[] = []
      for (const { name, work } of suspects.splice(0)) {
        // A call that waits for something may now wait forever.
        const ms = await longestPiece(() => work(AbortSignal.timeout(repeatMs)).catch(() => {}))
        if (await isTooLong(ms)) blocking.push(`${name.slice(0, 200)}: ${Math.round(ms)} ms`)
      }
      return blocking
    },
  }
}
