// Guarantees: a holder that floods a pool queues behind itself. Others get a place, and no call waits forever.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isFailure } from '../core/errors.ts'
import { createFairShare, type FairShare, type Release } from './fair-share.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const limits = {
  places: 4,
  perTenant: 2,
  maxWaiting: 3,
  waitMs: 1_000,
  busyDetail: 'The database is busy; try again in a moment',
}

/** Enters and records the order of entry. */
const visitor = (shares: FairShare) => {
  const order: string[] = []
  const leaves: Release[] = []
  const failures: unknown[] = []
  const enter = (tenant: string | null): void => {
    const turn = shares.enter(tenant)
    const got = (leave: Release): void => {
      order.push(tenant ?? 'system')
      leaves.push(leave)
    }
    if (typeof turn === 'function') got(turn)
    else turn.then(got, (error) => failures.push(error))
  }
  const settle = () => vi.advanceTimersByTimeAsync(0)
  return { order, leaves, failures, enter, settle }
}

describe('fair shares', () => {
  it('a tenant beyond its share waits while others enter', async () => {
    const visit = visitor(createFairShare(limits))
    for (const tenant of ['a', 'a', 'a', 'a', 'b', 'c']) visit.enter(tenant)
    await visit.settle()
    expect(visit.order).toEqual(['a', 'a', 'b', 'c'])
  })

  it('waiting tenants are served in turn, independent of their number of calls', async () => {
    const visit = visitor(createFairShare({ ...limits, places: 1 }))
    for (const tenant of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) visit.enter(tenant)
    for (let index = 0; index < 7; index += 1) {
      visit.leaves[index]?.()
      await visit.settle()
    }
    expect(visit.order).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  it('work without a tenant is limited only by the number of places', async () => {
    const visit = visitor(createFairShare(limits))
    for (let index = 0; index < 5; index += 1) visit.enter(null)
    await visit.settle()
    expect(visit.order).toHaveLength(4)
  })

  it('a tenant at its share that waits too long is `rate_limited`', async () => {
    const visit = visitor(createFairShare(limits))
    for (let index = 0; index < 3; index += 1) visit.enter('a')
    await vi.advanceTimersByTimeAsync(limits.waitMs)
    expect(visit.failures.map((error) => isFailure(error, 'rate_limited'))).toEqual([true])
  })

  it('a tenant that waits too long behind others is `unavailable`', async () => {
    const visit = visitor(createFairShare({ ...limits, places: 1 }))
    for (const tenant of ['a', 'b']) visit.enter(tenant)
    await vi.advanceTimersByTimeAsync(limits.waitMs)
    expect(visit.failures.map((error) => isFailure(error, 'unavailable'))).toEqual([true])
  })

  it('the queue of a tenant is limited and leaves no state behind', async () => {
    const shares = createFairShare(limits)
    const visit = visitor(shares)
    for (let index = 0; index < 9; index += 1) visit.enter('a')
    await visit.settle()
    expect(visit.failures).toHaveLength(4)
    expect(shares.figures()).toEqual({ held: 2, waiting: 3 })
    for (let index = 0; index < 5; index += 1) {
      visit.leaves[index]?.()
      // Releasing twice frees only one place.
      visit.leaves[index]?.()
      await visit.settle()
    }
    expect(shares.figures()).toEqual({ held: 0, waiting: 0 })
  })
})

describe('while others are present', () => {
  const shared = { ...limits, perTenant: 3, underContention: () => 1, waitMs: 10_000 }

  it('the share of a tenant shrinks while others are present and grows again afterwards', async () => {
    const visit = visitor(createFairShare(shared))
    visit.enter('b')
    for (const tenant of ['a', 'a', 'a', 'a']) visit.enter(tenant)
    await visit.settle()
    expect(visit.order).toEqual(['b', 'a'])
    await vi.advanceTimersByTimeAsync(3_000)
    expect(visit.order).toEqual(['b', 'a'])
    visit.leaves[0]?.()
    await vi.advanceTimersByTimeAsync(1_900)
    expect(visit.order).toEqual(['b', 'a'])
    await vi.advanceTimersByTimeAsync(200)
    expect(visit.order).toEqual(['b', 'a', 'a', 'a'])
  })

  it('work without a tenant does not shrink the share of a tenant', async () => {
    const visit = visitor(createFairShare(shared))
    for (const tenant of [null, 'a', 'a', 'a']) visit.enter(tenant)
    await visit.settle()
    expect(visit.order).toEqual(['system', 'a', 'a', 'a'])
  })

  it('a call that adds a place gives it to the oldest waiting call of its tenant', async () => {
    const shares = createFairShare(shared)
    const order: string[] = []
    const come = (name: string, turn: Release | Promise<Release>) =>
      void Promise.resolve(turn).then(() => order.push(name))
    come('b', shares.enter('b'))
    for (const name of ['a1', 'a2', 'a3']) come(name, shares.enter('a'))
    come('a4', shares.enterFreely('a'))
    await vi.advanceTimersByTimeAsync(0)
    expect(order).toEqual(['b', 'a1', 'a2'])
    expect([shares.waitingOf('a'), shares.waitingOf('b')]).toEqual([2, 0])
  })
})

describe('one person in many workspaces', () => {
  const personal = { ...limits, places: 8, perTenant: 4, perPerson: 4, reserved: 2, maxWaiting: 5 }
  const enterer = (shares: FairShare) => {
    const order: string[] = []
    const failures: unknown[] = []
    const leaves = new Map<string, Release>()
    const enter = (person: string, tenant: string): void => {
      const name = `${person} ${tenant}`
      const got = (leave: Release): void => {
        order.push(name)
        leaves.set(name, leave)
      }
      const turn = shares.enterAs({ tenant, person })
      if (typeof turn === 'function') got(turn)
      else turn.then(got, (error) => failures.push(error))
    }
    return { order, failures, leaves, enter, settle: () => vi.advanceTimersByTimeAsync(0) }
  }

  it('a person at the limit waits in every workspace, and colleagues do not', async () => {
    const visit = enterer(createFairShare(personal))
    for (let team = 0; team < 6; team += 1) visit.enter('many', `team ${team}`)
    visit.enter('colleague', 'team 5')
    await visit.settle()
    expect(visit.order).toEqual(['many team 0', 'many team 1', 'many team 2', 'many team 3', 'colleague team 5'])
    visit.leaves.get('many team 0')?.()
    await visit.settle()
    expect(visit.order.at(-1)).toBe('many team 4')
  })

  it('the reserved places go to holders without a place', async () => {
    const visit = enterer(createFairShare(personal))
    for (const person of ['one', 'two', 'three'])
      for (let team = 0; team < 4; team += 1) visit.enter(person, `${person} ${team}`)
    await visit.settle()
    expect(visit.order.filter((name) => name.startsWith('one'))).toHaveLength(4)
    expect(visit.order.filter((name) => name.startsWith('two'))).toHaveLength(2)
    expect(visit.order.filter((name) => name.startsWith('three'))).toHaveLength(1)
    visit.enter('four', 'four 0')
    await visit.settle()
    expect(visit.order.at(-1)).toBe('four four 0')
  })

  it('the queue of a person is limited over all workspaces', async () => {
    const visit = enterer(createFairShare(personal))
    for (let team = 0; team < 11; team += 1) visit.enter('many', `team ${team}`)
    await visit.settle()
    expect([visit.order.length, visit.failures.length]).toEqual([4, 2])
  })
})
