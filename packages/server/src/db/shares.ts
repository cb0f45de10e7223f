// Who gets the next free place. Tenants take turns, each its oldest first, and none holds more than its share: what one
// floods, another still finds free.
import { fail } from '../core/errors.ts'
import { rateLimited } from '../core/rate-limited.ts'

export type Leave = () => void

export type Shares = {
  /** A place at once, or the promise of one. Work without a tenant waits for a free place only. */
  enter(tenant: string | null): Leave | Promise<Leave>
  /** How many hold a place, and how many wait for one. */
  figures(): { held: number; waiting: number }
}

export type ShareLimits = {
  places: number
  perTenant: number
  /** How many of one tenant may wait; those beyond are told at once. */
  maxWaiting: number
  waitMs: number
  /** What is said to those for whom no place became free. */
  busyDetail: string
}

type Waiting = { readonly give: (leave: Leave) => void; readonly refuse: (error: unknown) => void }

const everybody = ''

export const createShares = ({ places, perTenant, maxWaiting, waitMs, busyDetail }: ShareLimits): Shares => {
  const heldBy = new Map<string, number>()
  const queues = new Map<string, Set<Waiting>>()
  let held = 0
  let waiting = 0

  const mayEnter = (tenant: string): boolean =>
    held < places && (tenant === everybody || (heldBy.get(tenant) ?? 0) < perTenant)

  const take = (tenant: string): Leave => {
    held += 1
    heldBy.set(tenant, (heldBy.get(tenant) ?? 0) + 1)
    let left = false
    return () => {
      if (left) return
      left = true
      held -= 1
      const rest = (heldBy.get(tenant) ?? 1) - 1
      if (rest === 0) heldBy.delete(tenant)
      else heldBy.set(tenant, rest)
      if (waiting > 0) giveNext()
    }
  }

  const drop = (tenant: string, one: Waiting): void => {
    const queue = queues.get(tenant)
    if (!queue?.delete(one)) return
    waiting -= 1
    if (queue.size === 0) queues.delete(tenant)
  }

  /** The tenant that was served goes to the end of the row. */
  const giveNext = (): void => {
    for (const [tenant, queue] of queues) {
      if (!mayEnter(tenant)) continue
      const [next] = queue
      if (!next) continue
      drop(tenant, next)
      if (queue.size > 0) {
        queues.delete(tenant)
        queues.set(tenant, queue)
      }
      next.give(take(tenant))
      return
    }
  }

  const wait = (tenant: string): Promise<Leave> =>
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
        one.refuse((heldBy.get(tenant) ?? 0) >= perTenant ? tooMany() : busy(busyDetail))
      }, waitMs)
      queues.set(tenant, queue.add(one))
      waiting += 1
    })

  return {
    enter: (named) => {
      const tenant = named ?? everybody
      const others = queues.size > 0
      return mayEnter(tenant) && !(others && queues.has(tenant)) ? take(tenant) : wait(tenant)
    },
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
