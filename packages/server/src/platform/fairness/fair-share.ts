// Fair scheduling of places. Waiting workspaces are served in turn, each with its oldest call first. Neither a
// workspace nor a person with many workspaces may have more than its share. The share is smaller while others are
// present, because all places use the same processors.
import { fail } from '../core/errors.ts'
import type { OnDisconnect } from '../core/gate.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { createHolders, noHolder } from './share-holders.ts'

export type Release = () => void

/** The workspace and the person that a call counts for; null for neither. */
export type Holder = { readonly tenant: string | null; readonly person: string | null }

export type FairShare = {
  /** Returns a place, or a promise of one. A call without a tenant only waits for a free place. */
  enter(tenant: string | null, onDisconnect?: OnDisconnect): Release | Promise<Release>
  /** The same, and also counts for the person. */
  enterAs(holder: Holder, onDisconnect?: OnDisconnect): Release | Promise<Release>
  /** The call adds a place that counts for no share; the oldest waiting call of its tenant gets it. */
  enterFreely(tenant: string, onDisconnect?: OnDisconnect): Release | Promise<Release>
  /**
   * Returns a place at once, even above the share: for a call that was admitted before and has lent its place to
   * others.
   */
  enterAgain(tenant: string): Release
  /** Marks a tenant as present until the returned function is called. */
  arrive(tenant: string): () => void
  waitingOf(tenant: string): number
  /** True while no other tenant is present; marks this one as present. */
  isAlone(tenant: string): boolean
  /** The number of calls with a place and of waiting calls. */
  figures(): { held: number; waiting: number }
}

export type ShareLimits = {
  places: number
  perTenant: number
  /** Limit of a tenant while others are present; `perTenant` if omitted. */
  underContention?: () => number
  /** Limit of a person over all workspaces; unlimited if omitted. */
  perPerson?: number
  /** Limit of a person while others are present; `perPerson` if omitted. */
  personUnderContention?: () => number
  /** The last places, only for a workspace and a person without any place. */
  reserved?: number
  /** How many calls of a tenant, and of a person, may wait; further calls are refused at once. */
  maxWaiting: number
  waitMs: number
  /** The `detail` for a call that waited too long behind others. */
  busyDetail: string
}

type Party = { readonly tenant: string; readonly person: string }

type Waiting = Party & { readonly give: (leave: Release) => void; readonly refuse: (error: unknown) => void }

/** Shares also grow when the load drops or other holders leave, which no call signals. */
const checkEveryMs = 100

export const createFairShare = ({
  places,
  perTenant,
  underContention = () => perTenant,
  perPerson = Number.POSITIVE_INFINITY,
  personUnderContention = () => perPerson,
  reserved = 0,
  maxWaiting,
  waitMs,
  busyDetail,
}: ShareLimits): FairShare => {
  const tenants = createHolders(perTenant, underContention)
  const persons = createHolders(perPerson, personUnderContention)
  const queues = new Map<string, Set<Waiting>>()
  let placesTaken = 0
  let waiting = 0
  let checking: NodeJS.Timeout | undefined

  const hasPlace = ({ tenant, person }: Party): boolean => {
    if (placesTaken < places - reserved || tenant === noHolder) return placesTaken < places
    return placesTaken < places && tenants.placesOf(tenant) === 0 && persons.placesOf(person) === 0
  }

  const isInShare = ({ tenant, person }: Party): boolean => tenants.mayTake(tenant) && persons.mayTake(person)

  const mayEnter = (party: Party): boolean => hasPlace(party) && isInShare(party)

  const take = ({ tenant, person }: Party): Release => {
    placesTaken += 1
    tenants.take(tenant)
    persons.take(person)
    let left = false
    return () => {
      if (left) return
      left = true
      placesTaken -= 1
      tenants.release(tenant)
      persons.release(person)
      giveAll()
    }
  }

  /** Can serve several calls when a share has grown. */
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
    // The served tenant goes to the end of the queue.
    if (queue && queue.size > 0) {
      queues.delete(one.tenant)
      queues.set(one.tenant, queue)
    }
    one.give(take(one))
  }

  /** Skips calls of a person at their limit, so that colleagues are not blocked. */
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
    tenants.queuedBy(tenant) >= maxWaiting || (person !== noHolder && persons.queuedBy(person) >= maxWaiting)

  const wait = (party: Party, onDisconnect?: OnDisconnect): Promise<Release> =>
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
      onDisconnect?.(() => {
        if (!queues.get(tenant)?.has(one)) return
        clearTimeout(timer)
        drop(one)
        one.refuse(tooMany())
      })
    })

  const enterAs: FairShare['enterAs'] = (holder, onDisconnect) => {
    const party = { tenant: holder.tenant ?? noHolder, person: holder.person ?? noHolder }
    tenants.seen(party.tenant)
    persons.seen(party.person)
    const isFree = mayEnter(party)
    if (isFree && !queues.has(party.tenant)) return take(party)
    const turn = wait(party, onDisconnect)
    // Colleagues of a person at the limit are served.
    if (isFree) giveAll()
    return turn
  }

  return {
    arrive: tenants.arrive,
    enter: (tenant, onDisconnect) => enterAs({ tenant, person: null }, onDisconnect),
    enterAs,
    enterFreely: (tenant, onDisconnect) => {
      const party = { tenant, person: noHolder }
      tenants.seen(tenant)
      const [oldest] = queues.get(tenant) ?? []
      if (!oldest) return take(party)
      const turn = wait(party, onDisconnect)
      give(oldest)
      return turn
    },
    enterAgain: (tenant) => take({ tenant, person: noHolder }),
    waitingOf: (tenant) => queues.get(tenant)?.size ?? 0,
    isAlone: (tenant) => {
      tenants.seen(tenant)
      return tenants.isAlone(tenant)
    },
    figures: () => ({ held: placesTaken, waiting }),
  }
}

/** The refusal of a workspace that floods the server. */
export const tooMany = () =>
  rateLimited(
    () => 'This workspace has too many concurrent requests; wait for responses, then try again',
    Date.now(),
    Date.now() + 1_000,
  )

const busy = (detail: string) => fail('unavailable', { detail, headers: { 'retry-after': '1' } })
