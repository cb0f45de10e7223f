// Whose call comes next while several workspaces ask for more than this process can do. Each does as much as it likes while there is
// room. When there is not, one that asks for much at once beside others is served a few at a time, then one at a time, then with
// a pause after each; so the processor is free when the others come. Who is alone never waits here.
import type { WhenGone } from '../core/gate.ts'
import { createElbowRoom, type ElbowRoom } from '../db/elbow-room.ts'
import { createShares } from '../db/shares.ts'

export type Turns = {
  /** Work that belongs to nobody has its turn at once. */
  take<T>(tenant: string | null, work: () => Promise<T>, whenGone?: WhenGone): Promise<T>
  waiting(): number
}

/** At once, of one workspace beside others, where room begins to be short. */
const mostAtOnce = 8
/** A page of the console asks for a dozen things at once, and that is nobody's flood; nor is one thing now and then. */
const freeAtOnce = 16
const freeEveryMs = 40
/** What takes longer waits for something else, and holds up nobody meanwhile. */
const longestTurnMs = 1_000
const longestPauseMs = 1_000
const maxWaiting = 2_000
const waitMs = 10_000

export const createTurns = (room: ElbowRoom = createElbowRoom()): Turns => {
  const shares = createShares({
    places: Number.POSITIVE_INFINITY,
    perTenant: Number.POSITIVE_INFINITY,
    besideOthers: () => {
      const part = room()
      return part === 1 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(mostAtOnce * part))
    },
    maxWaiting,
    waitMs,
    busyDetail: 'The server is busy; try again in a moment',
  })
  const isLight = createLightness()
  const pauseAfter = (tenant: string, beganMs: number): number => {
    const duty = Math.min(1, mostAtOnce * room())
    if (duty === 1 || shares.waitingOf(tenant) <= 1) return 0
    return Math.min(longestPauseMs, (performance.now() - beganMs) * (1 / duty - 1))
  }
  const take: Turns['take'] = async (tenant, work, whenGone) => {
    if (tenant === null) return work()
    const depart = shares.arrive(tenant)
    try {
      const leave = await (isLight(tenant) ? shares.enterFreely(tenant, whenGone) : shares.enter(tenant, whenGone))
      const beganMs = performance.now()
      const timer = setTimeout(leave, longestTurnMs)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
        const pauseMs = pauseAfter(tenant, beganMs)
        if (pauseMs === 0) leave()
        else setTimeout(leave, pauseMs).unref()
      }
    } finally {
      depart()
    }
  }
  return { take, waiting: () => shares.figures().waiting }
}

/** Whether a workspace has asked for little of late, this call included. */
const createLightness = () => {
  // When each will have earned all that it took: while that lies in the past it has everything before it.
  const paidAtMs = new Map<string, number>()
  let sweptAtMs = 0
  return (tenant: string): boolean => {
    const nowMs = performance.now()
    if (nowMs - sweptAtMs > 1_000) {
      for (const [key, atMs] of paidAtMs) if (atMs <= nowMs) paidAtMs.delete(key)
      sweptAtMs = nowMs
    }
    const atMs = Math.max(nowMs, paidAtMs.get(tenant) ?? 0) + freeEveryMs
    if (atMs - nowMs > freeAtOnce * freeEveryMs) return false
    paidAtMs.set(tenant, atMs)
    return true
  }
}
