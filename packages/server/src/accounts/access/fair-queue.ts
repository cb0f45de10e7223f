// Chooses the next call while workspaces request more than this process can do. Without contention nothing waits. Under
// contention, a workspace with many simultaneous calls is served a few at a time, then one at a time, then with a pause
// after each, so the processor is free when others call. A workspace that is alone never waits here.
import type { OnDisconnect } from '#platform/core/gate.ts'
import { createFairShare, type Release } from '#platform/fairness/fair-share.ts'
import { createLoadFactor, type LoadFactor } from '#platform/fairness/load.ts'
import { addTo } from '#platform/fairness/share-holders.ts'

/** The caller. Work without a caller is not queued. */
export type QueueCaller = { readonly person: string | null; readonly workspace: string | null }

export type FairQueue = {
  take<T>(caller: QueueCaller, work: () => Promise<T>, onDisconnect?: OnDisconnect): Promise<T>
  /** Counts processor time; returns the pause that the caller owes to others, in milliseconds. */
  charge(caller: QueueCaller, spentMs: number): number
  waiting(): number
}

/** One of the concurrent slots. */
type Turn = {
  /** Lets others use the slot while this call waits elsewhere. */
  lend(): void
  /** Starts the work and its time measurement. A lent slot is taken back, even if another call uses it. */
  begin(): void
  /** Ends the work. */
  end(): void
}

/** One fair queue: per person or per workspace. */
type TenantQueue = {
  /** Counts a call and returns whether its tenant made few calls recently. */
  isLight(tenant: string | null): boolean
  /** Counts processor time; returns the pause that the tenant owes to others, in milliseconds. */
  charge(tenant: string | null, spentMs: number): number
  /** Enters at once or after waiting. A light call gets an extra slot. */
  enter(tenant: string | null, isLight: boolean, onDisconnect?: OnDisconnect): Turn | Promise<Turn>
  waiting(): number
}

const nobodys: Turn = { lend: () => {}, begin: () => {}, end: () => {} }

/** Concurrent calls of one workspace under contention. */
const maxConcurrent = 8
/**
 * A console page makes about a dozen calls at once, which must not count as a flood; neither must an occasional call.
 */
const freeAtOnce = 16
const freeEveryMs = 40
/** A tenant that uses less than this part of the processor stays light. */
const freeProcessorPart = 1 / 8
/** A single expensive call makes its tenant wait for a bounded time only. */
const maxDebtMs = 2_000
/** Longer work is waiting for I/O and does not block others. */
const maxTurnMs = 1_000
const maxPauseMs = 1_000
const maxWaiting = 2_000
const waitMs = 10_000

const createTenantQueue = (room: LoadFactor, waitingElsewhere: (tenant: string) => number = () => 0): TenantQueue => {
  const shares = createFairShare({
    places: Number.POSITIVE_INFINITY,
    perTenant: Number.POSITIVE_INFINITY,
    underContention: () => {
      const part = room()
      return part === 1 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(maxConcurrent * part))
    },
    maxWaiting,
    waitMs,
    busyDetail: 'The server is busy; try again in a moment',
  })
  const lightness = createLightness()
  const pauseAfter = (tenant: string, beganMs: number): number => {
    const duty = Math.min(1, maxConcurrent * room())
    if (duty === 1 || shares.waitingOf(tenant) + waitingElsewhere(tenant) <= 1) return 0
    return Math.min(maxPauseMs, (performance.now() - beganMs) * (1 / duty - 1))
  }
  const turnOf = (tenant: string, acquired: Release, depart: () => void): Turn => {
    let release = acquired
    let isLent = false
    let beganMs: number | null = null
    let timer: NodeJS.Timeout | undefined
    return {
      lend: () => {
        isLent = true
        release()
      },
      begin: () => {
        if (isLent) release = shares.enterAgain(tenant)
        beganMs = performance.now()
        timer = setTimeout(release, maxTurnMs)
      },
      end: () => {
        clearTimeout(timer)
        const pauseMs = beganMs === null ? 0 : pauseAfter(tenant, beganMs)
        if (pauseMs === 0) release()
        else setTimeout(release, pauseMs).unref()
        depart()
      },
    }
  }
  const enter: TenantQueue['enter'] = (tenant, isLight, onDisconnect) => {
    if (tenant === null) return nobodys
    const depart = shares.arrive(tenant)
    const place = isLight ? shares.enterFreely(tenant, onDisconnect) : shares.enter(tenant, onDisconnect)
    if (typeof place === 'function') return turnOf(tenant, place, depart)
    return place.then(
      (release) => turnOf(tenant, release, depart),
      (error: unknown) => {
        depart()
        throw error
      },
    )
  }
  return {
    isLight: (tenant) => tenant !== null && lightness.count(tenant),
    charge: (tenant, spentMs) => {
      if (tenant === null) return 0
      lightness.charge(tenant, spentMs)
      const duty = Math.min(1, maxConcurrent * room())
      if (duty === 1 || shares.isAlone(tenant)) return 0
      return Math.min(maxPauseMs, spentMs * (1 / duty - 1))
    },
    enter,
    waiting: () => shares.figures().waiting,
  }
}

/**
 * A call passes two queues: that of its person, so that a person with many workspaces counts once, and that of its
 * workspace. A call that waits in the queue of a busy workspace must not occupy a slot of its person, because that
 * would block the other workspaces of the person. Of the calls of one person to one workspace, only as many enter the
 * workspace queue as can run at once, so a colleague waits behind few of them.
 */
export const createFairQueue = (room: LoadFactor = createLoadFactor()): FairQueue => {
  const members = createTenantQueue(room)
  /** Calls in the first queue, counted for their person. */
  const behind = new Map<string, number>()
  const persons = createTenantQueue(room, (person) => behind.get(person) ?? 0)
  const workspaces = createTenantQueue(room)
  const asMember = async (
    person: string | null,
    workspace: string | null,
    onDisconnect?: OnDisconnect,
  ): Promise<Turn> => {
    if (person === null) return nobodys
    const member = `${person} ${workspace}`
    addTo(behind, person, 1)
    try {
      return await members.enter(member, members.isLight(member), onDisconnect)
    } finally {
      addTo(behind, person, -1)
    }
  }
  const charge: FairQueue['charge'] = ({ person, workspace }, spentMs) =>
    Math.max(persons.charge(person, spentMs), workspaces.charge(workspace, spentMs))
  const take: FairQueue['take'] = async ({ person, workspace }, work, onDisconnect) => {
    const turns: Turn[] = []
    // Determined by the person's calls, not by those that pass the first queue.
    const isLight = persons.isLight(person)
    try {
      turns.unshift(await asMember(person, workspace, onDisconnect))
      const asPerson = await persons.enter(person, isLight, onDisconnect)
      turns.unshift(asPerson)
      const next = workspaces.enter(workspace, workspaces.isLight(workspace), onDisconnect)
      if (next instanceof Promise) asPerson.lend()
      turns.unshift(await next)
      for (const turn of turns) turn.begin()
      const startedMs = performance.now()
      const result = work()
      // The work up to its first wait; the rest is measured by the length of the turn.
      charge({ person, workspace }, performance.now() - startedMs)
      return await result
    } finally {
      // Ends the workspace's slot first, so that the person's next call finds it free.
      for (const turn of turns) turn.end()
    }
  }
  return { take, charge, waiting: () => members.waiting() + persons.waiting() + workspaces.waiting() }
}

/** Whether a tenant made few calls recently, this one included. */
const createLightness = () => {
  // When each tenant's allowance is fully restored; a time in the past means the full allowance.
  const paidAtMs = new Map<string, number>()
  let sweptAtMs = 0
  const sweep = (nowMs: number): void => {
    if (nowMs - sweptAtMs <= 1_000) return
    for (const [key, atMs] of paidAtMs) if (atMs <= nowMs) paidAtMs.delete(key)
    sweptAtMs = nowMs
  }
  return {
    count: (tenant: string): boolean => {
      const nowMs = performance.now()
      sweep(nowMs)
      const atMs = Math.max(nowMs, paidAtMs.get(tenant) ?? 0) + freeEveryMs
      if (atMs - nowMs > freeAtOnce * freeEveryMs) return false
      paidAtMs.set(tenant, atMs)
      return true
    },
    charge: (tenant: string, spentMs: number): void => {
      const nowMs = performance.now()
      sweep(nowMs)
      const atMs = Math.max(nowMs, paidAtMs.get(tenant) ?? 0) + spentMs / freeProcessorPart
      paidAtMs.set(tenant, Math.min(atMs, nowMs + maxDebtMs))
    },
  }
}
