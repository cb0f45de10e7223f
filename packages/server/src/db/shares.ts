// Who gets the next free place. Tenants take turns, each its oldest first, and none holds more than its share: what one
// floods, another still finds free. Free places are not enough where all of them draw on the same processors, so the share of
// whoever is not alone is smaller.
import { fail } from '../core/errors.ts'
import type { WhenGone } from '../core/gate.ts'
import { rateLimited } from '../core/rate-limited.ts'

export type Leave = () => void

export type Shares = {
  /** A place at once, or the promise of one. Work without a tenant waits for a free place only. */
  enter(tenant: string | null, whenGone?: WhenGone): Leave | Promise<Leave>
  /** The same, and this call brings a place along that counts for no share: the oldest of its tenant gets it. */
  enterFreely(tenant: string, whenGone?: WhenGone): Leave | Promise<Leave>
  /** A place at once, however many its tenant holds: for who has had its turn already and let others go first. */
  enterAgain(tenant: string): Leave
  /** While something of it goes on, with a place or without, a tenant is there. What to call when that ends. */
  arrive(tenant: string): () => void
  waitingOf(tenant: string): number
  /** How many hold a place, and how many wait for one. */
  figures(): { held: number; waiting: number }
}

export type ShareLimits = {
  places: number
  perTenant: number
  /** Of one tenant while others ask too; `perTenant` when left out. */
  besideOthers?: () => number
  /** How many of one tenant may wait; those beyond are told at once. */
  maxWaiting: number
  waitMs: number
  /** What is said to those for whom no place became free. */
  busyDetail: string
}

type Waiting = { readonly give: (leave: Leave) => void; readonly refuse: (error: unknown) => void }

const everybody = ''

/** Somebody who asked or was answered so long ago at most is there. */
const presenceMs = 2_000

/** A share grows while nobody leaves: because it is calm, or because others went away. */
const lookEveryMs = 100

export const addTo = (counts: Map<string, number>, tenant: string, more: 1 | -1): void => {
  const count = (counts.get(tenant) ?? 0) + more
  if (count > 0) counts.set(tenant, count)
  else counts.delete(tenant)
}

const hasOthers = (tenants: ReadonlyMap<string, unknown>, tenant: string): boolean =>
  tenants.size > Number(tenants.has(tenant)) + Number(tenants.has(everybody))

/** Who else is there: the two that asked last are enough to tell that of anybody. */
const createPresence = () => {
  let last = { tenant: everybody, atMs: Number.NEGATIVE_INFINITY }
  let lastOther = last
  return {
    seen: (tenant: string, atMs: number): void => {
      if (tenant === everybody) return
      if (tenant !== last.tenant) lastOther = last
      last = { tenant, atMs }
    },
    isAlone: (tenant: string, nowMs: number): boolean =>
      nowMs - (last.tenant === tenant ? lastOther : last).atMs > presenceMs,
  }
}

export const createShares = ({
  places,
  perTenant,
  besideOthers = () => perTenant,
  maxWaiting,
  waitMs,
  busyDetail,
}: ShareLimits): Shares => {
  const presence = createPresence()
  const arrived = new Map<string, number>()
  const heldBy = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()
  let held = 0
  let waiting = 0
  let looking: NodeJS.Timeout | undefined

  const isAlone = (tenant: string): boolean =>
    ![arrived, heldBy, queues].some((tenants) => hasOthers(tenants, tenant)) &&
    presence.isAlone(tenant, performance.now())

  const shareOf = (tenant: string): number => {
    if (tenant === everybody) return places
    return isAlone(tenant) ? perTenant : besideOthers()
  }

  const mayEnter = (tenant: string): boolean => held < places && (heldBy.get(tenant) ?? 0) < shareOf(tenant)

  const take = (tenant: string): Leave => {
    held += 1
    addTo(heldBy, tenant, 1)
    let left = false
    return () => {
      if (left) return
      left = true
      held -= 1
      addTo(heldBy, tenant, -1)
      presence.seen(tenant, performance.now())
      giveAll()
    }
  }

  /** More than one when a share has grown. */
  const giveAll = (): void => {
    while (waiting > 0 && giveNext());
    if (waiting > 0) return
    clearInterval(looking)
    looking = undefined
  }

  const drop = (tenant: string, one: Waiting): void => {
    const queue = queues.get(tenant)
    if (!queue?.delete(one)) return
    waiting -= 1
    if (queue.size === 0) queues.delete(tenant)
  }

  const giveOldest = (tenant: string): boolean => {
    const queue = queues.get(tenant)
    const [next] = queue ?? []
    if (!queue || !next) return false
    drop(tenant, next)
    // The tenant that was served goes to the end of the row.
    if (queue.size > 0) {
      queues.delete(tenant)
      queues.set(tenant, queue)
    }
    next.give(take(tenant))
    return true
  }

  const giveNext = (): boolean => {
    for (const tenant of queues.keys()) if (mayEnter(tenant) && giveOldest(tenant)) return true
    return false
  }

  const wait = (tenant: string, whenGone?: WhenGone): Promise<Leave> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(tenant) ?? new Set<Waiting>()
      if (queue.size >= maxWaiting) {
        reject(tooMany())
        return
      }
      const one: Waiting = {
        give: (leave) => {
          clearTimeout(timer)
          resolve(leave)
        },
        refuse: reject,
      }
      const timer = setTimeout(() => {
        drop(tenant, one)
        one.refuse((heldBy.get(tenant) ?? 0) >= shareOf(tenant) ? tooMany() : busy(busyDetail))
      }, waitMs)
      queues.set(tenant, queue.add(one))
      waiting += 1
      looking ??= setInterval(giveAll, lookEveryMs).unref()
      whenGone?.(() => {
        if (!queues.get(tenant)?.has(one)) return
        clearTimeout(timer)
        drop(tenant, one)
        one.refuse(tooMany())
      })
    })

  return {
    arrive: (tenant) => {
      addTo(arrived, tenant, 1)
      return () => {
        addTo(arrived, tenant, -1)
        presence.seen(tenant, performance.now())
      }
    },
    enter: (named, whenGone) => {
      const tenant = named ?? everybody
      presence.seen(tenant, performance.now())
      const others = queues.size > 0
      return mayEnter(tenant) && !(others && queues.has(tenant)) ? take(tenant) : wait(tenant, whenGone)
    },
    enterFreely: (tenant, whenGone) => {
      presence.seen(tenant, performance.now())
      if (!queues.has(tenant)) return take(tenant)
      const turn = wait(tenant, whenGone)
      giveOldest(tenant)
      return turn
    },
    enterAgain: take,
    waitingOf: (tenant) => queues.get(tenant)?.size ?? 0,
    figures: () => ({ held, waiting }),
  }
}

/** One workspace asks for more at once than there is room for. */
export const tooMany = () =>
  rateLimited(
    () => 'This workspace already asks as much at once as it may; wait for some answers, then try again',
    Date.now(),
    Date.now() + 1_000,
  )

const busy = (detail: string) => fail('unavailable', { detail, headers: { 'retry-after': '1' } })
