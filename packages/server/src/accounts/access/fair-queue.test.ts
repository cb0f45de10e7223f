// Guarantees: a workspace that floods a busy server delays only itself. Others enter at once; so do callers with few
// calls, a lone caller, and all callers of a server without load. No call is lost, and the oldest is first.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Bus } from '#platform/bus/bus.ts'
import type { Member } from '#platform/core/actor.ts'
import { isFailure } from '#platform/core/errors.ts'
import type { OnDisconnect } from '#platform/core/gate.ts'
import { createFairQueue } from './fair-queue.ts'
import { createGate } from './service.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const workMs = 10

/** Simulates calls of a fixed duration and records when each began. */
const caller = (room: () => number) => {
  const turns = createFairQueue(room)
  const began: { name: string; atMs: number }[] = []
  const failures: unknown[] = []
  const startedMs = performance.now()
  const call = (tenant: string | null, name = tenant ?? '', takesMs = workMs, onDisconnect?: OnDisconnect): void => {
    const work = () => {
      began.push({ name, atMs: performance.now() - startedMs })
      return new Promise<void>((resolve) => setTimeout(resolve, takesMs))
    }
    turns.take({ person: null, workspace: tenant }, work, onDisconnect).catch((error: unknown) => failures.push(error))
  }
  const flood = (count: number, takesMs = workMs): void => {
    for (let index = 0; index < count; index += 1) call('flood', `flood ${index}`, takesMs)
  }
  const countOf = (tenant: string) => began.filter(({ name }) => name.startsWith(tenant)).length
  return { turns, began, failures, call, flood, countOf, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

const calm = () => 1
const busy = () => 1 / 16
const veryBusy = () => 1 / 64

const memberOf = (userId: string, teamId: string): Member => {
  const member: Partial<Member> = { userId, teamId }
  return member as Member
}

it('who has many workspaces floods as one', async () => {
  const gate = createGate({} as Bus, veryBusy)
  const began: string[] = []
  const call = (userId: string, teamId: string) =>
    gate.turn(memberOf(userId, teamId), async () => {
      began.push(userId)
      await new Promise((resolve) => setTimeout(resolve, workMs))
    })
  const calls = [
    call('quiet', 'quiet'),
    ...Array.from({ length: 120 }, (_, place) => call('many', `team ${place % 40}`)),
  ]
  await vi.advanceTimersByTimeAsync(0)
  expect(began.filter((one) => one === 'many')).toHaveLength(16)
  expect(gate.callsWaiting()).toBe(104)
  await vi.advanceTimersByTimeAsync(10_000)
  await Promise.allSettled(calls)
  expect(gate.callsWaiting()).toBe(0)
})

describe('one person in several workspaces', () => {
  /** Records for each call which other calls were active when it began. */
  const visit = () => {
    const gate = createGate({} as Bus, veryBusy)
    const began: { name: string; beside: string[] }[] = []
    const working = new Set<{ name: string }>()
    const call = async (
      userId: string,
      teamId: string,
      takesMs: number,
      name = `${userId} ${teamId}`,
    ): Promise<void> => {
      await gate.turn(memberOf(userId, teamId), async () => {
        const one = { name, beside: [...working].map(({ name }) => name) }
        began.push(one)
        working.add(one)
        await new Promise((resolve) => setTimeout(resolve, takesMs))
        working.delete(one)
      })
    }
    const start = (...parts: Parameters<typeof call>) => void call(...parts).catch(() => {})
    const begunBy = (name: string) => began.filter((one) => one.name.startsWith(name))
    return { gate, start, begunBy, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }

  it('is not blocked in one workspace by a flood of another', async () => {
    const { gate, start, begunBy, pass } = visit()
    start('neighbour', 'neighbour', 6_000)
    for (let other = 0; other < 40; other += 1)
      for (let index = 0; index < 15; index += 1) start(`other ${other}`, 'busy', 60)
    for (let index = 0; index < 22; index += 1) start('me', 'busy', 60)
    start('me', 'mine', 60)
    await pass(1_000)
    expect(begunBy('me mine')).toHaveLength(1)
    await pass(60_000)
    expect(gate.callsWaiting()).toBe(0)
  })

  it('has no pause for what others made it wait', async () => {
    const ownBegun = async (callsInBusy: number): Promise<number> => {
      const { start, begunBy, pass } = visit()
      start('neighbour', 'neighbour', 20_000)
      for (let index = 0; index < 100; index += 1) start(`other ${index}`, 'busy', 60)
      for (let index = 0; index < callsInBusy; index += 1) start('me', 'busy', 60)
      for (let index = 0; index < 200; index += 1) start('me', `mine ${index % 40}`, 10)
      await pass(4_000)
      return begunBy('me mine').length
    }
    const alone = await ownBegun(0)
    expect(alone).toBeLessThan(100)
    // At most 16 fewer: the calls in the busy workspace use that many free entries.
    expect(await ownBegun(16)).toBeGreaterThanOrEqual(alone - 16)
  })

  it('has its place again while it works in the one that others flood', async () => {
    const { start, begunBy, pass } = visit()
    start('neighbour', 'neighbour', 20_000)
    for (let index = 0; index < 16; index += 1)
      for (const who of ['one', 'two', 'three', 'me']) start(who, 'busy', who === 'me' ? 500 : 60)
    await pass(1_000)
    for (let index = 0; index < 120; index += 1) start('me', `mine ${index % 40}`, 10)
    await pass(0)
    // Treated like a caller with few recent calls.
    const free = begunBy('me mine').length
    expect(free).toBeLessThanOrEqual(16)
    await pass(8_000)
    const later = begunBy('me mine').slice(free)
    expect([begunBy('me busy').length > 5, later.length > 30]).toEqual([true, true])
    expect(later.filter(({ beside }) => beside.some((name) => name.startsWith('me')))).toEqual([])
  })

  it.each([2, 3])('floods as one with %i of them too', async (teams) => {
    const begunWith = async (teams: number): Promise<number> => {
      const { start, begunBy, pass } = visit()
      start('neighbour', 'neighbour', 20_000)
      for (let index = 0; index < 200; index += 1) start('me', `mine ${index % teams}`, 10)
      await pass(4_000)
      return begunBy('me').length
    }
    expect(await begunWith(teams)).toBeLessThanOrEqual((await begunWith(1)) + 1)
  })

  it('does not keep a colleague waiting behind all that it asks for', async () => {
    const { start, begunBy, pass } = visit()
    start('neighbour', 'neighbour', 20_000)
    for (let index = 0; index < 300; index += 1) start('flood', 'shared', 10)
    for (let wave = 0; wave < 2; wave += 1) {
      for (let index = 0; index < 20; index += 1) start('colleague', 'shared', 10)
      await pass(wave === 0 ? 1_000 : 5_000)
    }
    expect(begunBy('colleague')).toHaveLength(40)
    expect(begunBy('flood').length).toBeGreaterThan(40)
  })

  it('comes in order in each of them', async () => {
    const { start, begunBy, pass } = visit()
    start('neighbour', 'neighbour', 60_000)
    for (let index = 0; index < 30; index += 1) {
      start('other', 'busy', 60)
      for (const team of ['busy', 'mine']) start('me', team, 10, `me ${team} ${index}`)
    }
    await pass(9_000)
    for (const team of ['busy', 'mine']) {
      const numbers = begunBy(`me ${team}`).map(({ name }) => Number(name.split(' ')[2]))
      expect(numbers.length).toBeGreaterThan(8)
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other))
    }
  })
})

describe('who comes in at once', () => {
  it.each([
    ['everybody of one that is alone', busy, []],
    ['everybody while there is room', calm, ['neighbour']],
  ])('%s', async (_, room, others) => {
    const { call, flood, countOf, pass } = caller(room)
    for (const other of others) call(other)
    flood(300)
    await pass(0)
    expect(countOf('flood')).toBe(300)
  })

  it('the neighbour of a flood, and work without a caller', async () => {
    const { call, flood, countOf, pass } = caller(busy)
    call('neighbour')
    flood(300)
    for (let index = 0; index < 16; index += 1) call('quiet')
    for (let index = 0; index < 50; index += 1) call(null, 'server')
    await pass(0)
    expect([countOf('quiet'), countOf('server')]).toEqual([16, 50])
    expect(countOf('flood')).toBeLessThan(20)
  })

  it('one call after another, however many they are', async () => {
    const { call, countOf, pass } = caller(busy)
    for (let index = 0; index < 200; index += 1) {
      call('neighbour')
      call('steady')
      await pass(workMs)
    }
    expect(countOf('steady')).toBe(200)
  })
})

describe('a flood beside others', () => {
  const besides = async (room: () => number, forMs: number) => {
    const visit = caller(room)
    visit.call('neighbour')
    visit.flood(300)
    for (let ms = 0; ms < forMs; ms += 500) {
      await visit.pass(500)
      visit.call('neighbour')
    }
    return visit
  }

  it('is served one at a time, its oldest first, and in the end all of it', async () => {
    const { began, failures, pass } = await besides(busy, 2_000)
    await pass(9_000)
    expect(failures).toEqual([])
    const floods = began.flatMap(({ name }) => (name.startsWith('flood') ? [name] : []))
    expect(floods).toEqual(Array.from({ length: 300 }, (_, index) => `flood ${index}`))
  })

  it('has pauses the longer the busier it is', async () => {
    const { countOf: some } = await besides(busy, 1_000)
    const { countOf: few } = await besides(veryBusy, 1_000)
    expect(some('flood')).toBeGreaterThan(2 * few('flood'))
    expect(few('flood')).toBeGreaterThan(16)
  })

  it('goes on when the neighbour has left', async () => {
    const { countOf, pass } = await besides(veryBusy, 500)
    await pass(3_000)
    expect(countOf('flood')).toBe(300)
  })

  it('a call that waits for ten seconds is refused with Retry-After', async () => {
    const { failures, call, countOf, pass, turns } = caller(veryBusy)
    call('neighbour')
    for (let index = 0; index < 100; index += 1) call('flood', 'flood', 900)
    for (let ms = 0; ms < 11_000; ms += 500) {
      await pass(500)
      call('neighbour')
    }
    expect(failures.length).toBeGreaterThan(0)
    expect(failures.every((error) => isFailure(error, 'rate_limited'))).toBe(true)
    expect(countOf('flood') + failures.length).toBe(100)
    expect(turns.waiting()).toBe(0)
  })

  it('one that waits for its answer, however long, is there', async () => {
    const { call, flood, countOf, pass } = caller(veryBusy)
    call('neighbour', 'neighbour', 6_000)
    flood(300)
    await pass(5_500)
    expect(countOf('flood')).toBeLessThan(100)
    await pass(3_500)
    expect(countOf('flood')).toBe(300)
  })

  it('a call that began in calm and lasts holds up nothing that its workspace asks for afterwards', async () => {
    let part = 1
    const { call, countOf, failures, pass } = caller(() => part)
    call('steady', 'tool', 60_000)
    part = 1 / 8
    await pass(2_000)
    for (let index = 0; index < 200; index += 1) {
      call('neighbour')
      call('steady')
      await pass(workMs)
    }
    expect([countOf('steady'), failures]).toEqual([200, []])
  })

  it('is let in when it has become calm, though nobody leaves', async () => {
    let part = veryBusy()
    const { call, flood, countOf, pass } = caller(() => part)
    call('neighbour', 'neighbour', 60_000)
    flood(300, 60_000)
    await pass(500)
    expect(countOf('flood')).toBeLessThan(20)
    part = 1
    await pass(100)
    expect(countOf('flood')).toBe(300)
  })

  it('who has gone away is not waited for', async () => {
    const { call, flood, countOf, failures, pass, turns } = caller(veryBusy)
    call('neighbour', 'neighbour', 60_000)
    flood(20, 60_000)
    const goings: (() => void)[] = []
    for (let index = 0; index < 50; index += 1) call('flood', 'gone', workMs, (tell) => goings.push(tell))
    await pass(0)
    expect(turns.waiting()).toBe(54)
    for (const tell of goings) tell()
    await pass(0)
    expect([turns.waiting(), failures.length, countOf('gone')]).toEqual([4, 50, 0])
  })

  it('what takes longer than a second makes room for the next', async () => {
    const { call, flood, countOf, pass } = caller(() => 1 / 8)
    call('neighbour')
    flood(20, 60_000)
    await pass(0)
    expect(countOf('flood')).toBe(16)
    await pass(1_000)
    expect(countOf('flood')).toBe(17)
  })
})

describe('processor time', () => {
  const flooded = async () => {
    const visit = caller(veryBusy)
    visit.call('neighbour', 'neighbour', 60_000)
    await visit.pass(0)
    return visit
  }
  const expensive = async (): Promise<void> => {
    vi.advanceTimersByTime(100)
    await new Promise((resolve) => setTimeout(resolve, workMs))
  }

  it('an expensive call uses up the allowance of many cheap ones', async () => {
    const { turns, countOf, flood, pass } = await flooded()
    const first = turns.take({ person: null, workspace: 'flood' }, expensive)
    await pass(workMs)
    await first
    flood(10)
    await pass(0)
    // Without the expensive call, all ten enter at once.
    expect(countOf('flood')).toBe(1)
  })

  it('work outside a turn is paused beside others, and counts against the allowance', async () => {
    const { turns, countOf, flood, pass } = await flooded()
    const caller = { person: 'me', workspace: 'flood' }
    expect(turns.charge(caller, 20)).toBe(140)
    expect(turns.charge(caller, 60_000)).toBe(1_000)
    flood(10)
    await pass(0)
    expect(countOf('flood')).toBe(1)
  })

  it('a workspace that is alone, and every workspace of a calm server, owes no pause', () => {
    expect(createFairQueue(veryBusy).charge({ person: null, workspace: 'alone' }, 20)).toBe(0)
    const { turns, call } = caller(calm)
    call('neighbour', 'neighbour', 60_000)
    expect(turns.charge({ person: null, workspace: 'flood' }, 20)).toBe(0)
  })
})
