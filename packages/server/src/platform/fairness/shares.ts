// Who gets the next free place. Workspaces take turns, each its oldest call first, and neither a workspace nor a person with many
// of them holds more than a share. The share of a holder that is not alone is smaller: all places draw on the same processors.
import { fail } from '../core/errors.ts'
import type { WhenGone } from '../core/gate.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { createHolders, nobody } from './share-holders.ts'

export type Leave = () => void

/** Whose work it is; null where it belongs to no workspace, or to no person. */
export type Holder = { readonly tenant: string | null; readonly person: string | null }

export type Shares = {
  /** A place at once, or the promise of one. Work without a tenant waits for a free place only. */
  enter(tenant: string | null, whenGone?: WhenGone): Leave | Promise<Leave>
  /** The same, counted for the person as well. */
  enterAs(holder: Holder, whenGone?: WhenGone): Leave | Promise<Leave>
  /** The call adds a place that counts for no share; the oldest call of its tenant gets it. */
  enterFreely(tenant: string, whenGone?: WhenGone): Leave | Promise<Leave>
  /** A place at once, however many its tenant has: for a call that has had its turn and lent its place to others. */
  enterAgain(tenant: string): Leave
  /** Marks a tenant as present until the returned function is called. */
  arrive(tenant: string): () => void
  waitingOf(tenant: string): number
  /** How many calls have a place, and how many wait for one. */
  figures(): { held: number; waiting: number }
}

export type ShareLimits = {
  places: number
  perTenant: number
  /** Of one tenant while others are present; `perTenant` when left out. */
  besideOthers?: () => number
  /** Of one person over all workspaces; no bound of its own when left out. */
  perPerson?: number
  /** Of one person while others are present; `perPerson` when left out. */
  personBesideOthers?: () => number
  /** The last places: only a workspace and a person without any place get one of them. */
  reserved?: number
  /** How many calls of one tenant, and of one person, may wait; further calls are refused at once. */
  maxWaiting: number
  waitMs: number
  /** The refusal of a call for which no place became free. */
  busyDetail: string
}

type Party = { readonly tenant: string; readonly person: string }

type Waiting = Party & { readonly give: (leave: Leave) => void; readonly refuse: (error: unknown) => void }

/** Shares grow without a call that leaves: the server became calm, or others went away. */
const checkEveryMs = 100

export const createShares = ({
  places,
  perTenant,
  besideOthers = () => perTenant,
  perPerson = Number.POSITIVE_INFINITY,
  personBesideOthers = () => perPerson,
  reserved = 0,
  maxWaiting,
  waitMs,
  busyDetail,
}: ShareLimits): Shares => {
  const tenants = createHolders(perTenant, besideOthers)
  const persons = createHolders(perPerson, personBesideOthers)
  const queues = new Map<string, Set<Waiting>>()
  let held = 0
  let waiting = 0
  let checking: NodeJS.Timeout | undefined

  const hasPlace = ({ tenant, person }: Party): boolean => {
    if (held < places - reserved || tenant === nobody) return held < places
    return held < places && tenants.heldBy(tenant) === 0 && persons.heldBy(person) === 0
  }

  const isInShare = ({ tenant, person }: Party): boolean => tenants.mayTake(tenant) && persons.mayTake(person)

  const mayEnter = (party: Party): boolean => hasPlace(party) && isInShare(party)

  const take = ({ tenant, person }: Party): Leave => {
    held += 1
    tenants.take(tenant)
    persons.take(person)
    let left = false
    return () => {
      if (left) return
      left = true
      held -= 1
      tenants.release(tenant)
      persons.release(person)
      giveAll()
    }
  }

  /** More than one when a share has grown. */
  const giveAll = (): void => {
    while (waiting > 0 && giveNext());
    if (waiting > 0) return
    clearInterval(checking)
    checking = undefined
  }

  const change = (one: Waiting, by: 1 | -1): void => {
    waiting += by
    tenants.queue(one.tenant, by)
    persons.queue(one.person, by)
  }

  const drop = (one: Waiting): void => {
    const queue = queues.get(one.tenant)
    if (!queue?.delete(one)) return
    change(one, -1)
    if (queue.size === 0) queues.delete(one.tenant)
  }

  const give = (one: Waiting): void => {
    const queue = queues.get(one.tenant)
    drop(one)
    // The tenant that was served goes to the end of the row.
    if (queue && queue.size > 0) {
      queues.delete(one.tenant)
      queues.set(one.tenant, queue)
    }
    one.give(take(one))
  }

  /** The oldest of each tenant whose person has room: one person at its share does not block colleagues. */
  const giveNext = (): boolean => {
    for (const [tenant, queue] of queues) {
      if (!tenants.mayTake(tenant)) continue
      const blocked = new Set<string>()
      for (const one of queue) {
        if (blocked.has(one.person)) continue
        if (mayEnter(one)) {
          give(one)
          return true
        }
        blocked.add(one.person)
      }
    }
    return false
  }

  const isFull = ({ tenant, person }: Party): boolean =>
    tenants.queuedBy(tenant) >= maxWaiting || (person !== nobody && persons.queuedBy(person) >= maxWaiting)

  const wait = (party: Party, whenGone?: WhenGone): Promise<Leave> =>
    new Promise((resolve, reject) => {
      if (isFull(party)) {
        reject(tooMany())
        return
      }
      const one: Waiting = {
        ...party,
        give: (leave) => {
          clearTimeout(timer)
          resolve(leave)
        },
        refuse: reject,
      }
      const timer = setTimeout(() => {
        drop(one)
        one.refuse(isInShare(party) ? busy(busyDetail) : tooMany())
      }, waitMs)
      const { tenant } = party
      queues.set(tenant, (queues.get(tenant) ?? new Set<Waiting>()).add(one))
      change(one, 1)
      checking ??= setInterval(giveAll, checkEveryMs).unref()
      whenGone?.(() => {
        if (!queues.get(tenant)?.has(one)) return
        clearTimeout(timer)
        drop(one)
        one.refuse(tooMany())
      })
    })

  const enterAs: Shares['enterAs'] = (holder, whenGone) => {
    const party = { tenant: holder.tenant ?? nobody, person: holder.person ?? nobody }
    tenants.seen(party.tenant)
    persons.seen(party.person)
    const isFree = mayEnter(party)
    if (isFree && !queues.has(party.tenant)) return take(party)
    const turn = wait(party, whenGone)
    // Colleagues of a person at its share do not wait for that person.
    if (isFree) giveAll()
    return turn
  }

  return {
    arrive: tenants.arrive,
    enter: (tenant, whenGone) => enterAs({ tenant, person: null }, whenGone),
    enterAs,
    enterFreely: (tenant, whenGone) => {
      const party = { tenant, person: nobody }
      tenants.seen(tenant)
      const [oldest] = queues.get(tenant) ?? []
      if (!oldest) return take(party)
      const turn = wait(party, whenGone)
      give(oldest)
      return turn
    },
    enterAgain: (tenant) => take({ tenant, person: nobody }),
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
