// Whose call comes next while several workspaces ask for more than this process can do. Each does as much as it likes while there is
// room. When there is not, one that asks for much at once beside others is served a few at a time, then one at a time, then with
// a pause after each; so the processor is free when the others come. Who is alone never waits here.
import type { WhenGone } from '#platform/core/gate.ts'
import { createElbowRoom, type ElbowRoom } from '#platform/fairness/load.ts'
import { addTo } from '#platform/fairness/share-holders.ts'
import { createShares, type Leave } from '#platform/fairness/shares.ts'

/** Who asks: nobody's work has its turn at once. */
export type Caller = { readonly person: string | null; readonly workspace: string | null }

export type Turns = {
  take<T>(caller: Caller, work: () => Promise<T>, whenGone?: WhenGone): Promise<T>
  waiting(): number
}

/** A place among those who work. */
type Turn = {
  /** Lets others have the place while something else is waited for. */
  lend(): void
  /** The work begins: from here its time counts. A place that was lent is taken again, whoever has it meanwhile. */
  begin(): void
  /** The work is over, or there is none. */
  end(): void
}

/** One order in which those of a kind come: each person's, or each workspace's. */
type Row = {
  /** Counts a call, and says whether its tenant has asked for little of late. */
  isLight(tenant: string | null): boolean
  /** At once, or when it comes. What is light brings a place along. */
  enter(tenant: string | null, isLight: boolean, whenGone?: WhenGone): Turn | Promise<Turn>
  waiting(): number
}

const nobodys: Turn = { lend: () => {}, begin: () => {}, end: () => {} }

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

const createRow = (room: ElbowRoom, waitingElsewhere: (tenant: string) => number = () => 0): Row => {
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
  const lightness = createLightness()
  const pauseAfter = (tenant: string, beganMs: number): number => {
    const duty = Math.min(1, mostAtOnce * room())
    if (duty === 1 || shares.waitingOf(tenant) + waitingElsewhere(tenant) <= 1) return 0
    return Math.min(longestPauseMs, (performance.now() - beganMs) * (1 / duty - 1))
  }
  const turnOf = (tenant: string, entered: Leave, depart: () => void): Turn => {
    let leave = entered
    let isLent = false
    let beganMs: number | null = null
    let timer: NodeJS.Timeout | undefined
    return {
      lend: () => {
        isLent = true
        leave()
      },
      begin: () => {
        if (isLent) leave = shares.enterAgain(tenant)
        beganMs = performance.now()
        timer = setTimeout(leave, longestTurnMs)
      },
      end: () => {
        clearTimeout(timer)
        const pauseMs = beganMs === null ? 0 : pauseAfter(tenant, beganMs)
        if (pauseMs === 0) leave()
        else setTimeout(leave, pauseMs).unref()
        depart()
      },
    }
  }
  const enter: Row['enter'] = (tenant, isLight, whenGone) => {
    if (tenant === null) return nobodys
    const depart = shares.arrive(tenant)
    const place = isLight ? shares.enterFreely(tenant, whenGone) : shares.enter(tenant, whenGone)
    if (typeof place === 'function') return turnOf(tenant, place, depart)
    return place.then(
      (leave) => turnOf(tenant, leave, depart),
      (error: unknown) => {
        depart()
        throw error
      },
    )
  }
  return {
    isLight: (tenant) => tenant !== null && lightness(tenant),
    enter,
    waiting: () => shares.figures().waiting,
  }
}

/**
 * Whoever has many workspaces is one person all the same; but nobody holds their place as a person while others keep a workspace
 * busy, or their other workspaces would stand still. So of what one person asks of one workspace only as much goes on to wait for
 * that workspace as may be there at once: a colleague waits behind few of them.
 */
export const createTurns = (room: ElbowRoom = createElbowRoom()): Turns => {
  const members = createRow(room)
  /** What waits in the first row for its person's sake too. */
  const behind = new Map<string, number>()
  const persons = createRow(room, (person) => behind.get(person) ?? 0)
  const workspaces = createRow(room)
  const asMember = async (person: string | null, workspace: string | null, whenGone?: WhenGone): Promise<Turn> => {
    if (person === null) return nobodys
    const member = `${person} ${workspace}`
    addTo(behind, person, 1)
    try {
      return await members.enter(member, members.isLight(member), whenGone)
    } finally {
      addTo(behind, person, -1)
    }
  }
  const take: Turns['take'] = async ({ person, workspace }, work, whenGone) => {
    const turns: Turn[] = []
    // By what a person asks for, not by what comes through the first row.
    const isLight = persons.isLight(person)
    try {
      turns.unshift(await asMember(person, workspace, whenGone))
      const asPerson = await persons.enter(person, isLight, whenGone)
      turns.unshift(asPerson)
      const next = workspaces.enter(workspace, workspaces.isLight(workspace), whenGone)
      if (next instanceof Promise) asPerson.lend()
      turns.unshift(await next)
      for (const turn of turns) turn.begin()
      return await work()
    } finally {
      // The workspace's first: the next of the same person finds it free.
      for (const turn of turns) turn.end()
    }
  }
  return { take, waiting: () => members.waiting() + persons.waiting() + workspaces.waiting() }
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
