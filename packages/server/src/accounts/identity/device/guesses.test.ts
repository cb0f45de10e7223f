// Guarantees: wrong codes are counted per caller and in total, on every route that accepts a code, so that the
// probability of hitting a pending code within its lifetime stays below one in a million; a correct code is not
// counted.
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { callerOfAddress } from '#platform/core/caller.ts'
import { ownWorld, scenarios } from '../../../testing/scenarios.ts'
import { useUpRate } from '../../../testing/use-up-rate.ts'
import { type As, createWorld, type World } from '../../../testing/world.ts'
import {
  guessesPerLife,
  guessProbability,
  newUserCode,
  userCodeGuessLimits,
  userCodeLifeSeconds,
} from '../user-code.ts'
import { startsPerMinute, sweep } from './service.ts'
import { pollDevice, startDevice } from './testing/devices.ts'

const { perCaller, total, windowSeconds } = userCodeGuessLimits
const settings = { TRUST_PROXY: '127.0.0.1' }
const from = (address: string) => ({ 'x-forwarded-for': address })

let world: World
beforeEach(async () => {
  world = await createWorld({ settings })
  // The beginning of a window, so that a test does not straddle two.
  world.clock.advance(windowSeconds * 1000 - (world.clock.now().getTime() % (windowSeconds * 1000)))
})
afterEach(() => world.close())

const lookUp = (code: string, address: string) =>
  world.call(null, `GET /device/auth/code/${code}`, { headers: from(address) })
const answer = (as: As, route: 'approve' | 'deny', code: string) =>
  world.call(as, `POST /device/auth/${route}`, { body: { code } })

describe('one caller', () => {
  it('gets ten wrong look-ups, then waits for the window to end, right code or not', async () => {
    const device = await startDevice(world)
    for (let misses = 0; misses < perCaller; misses++)
      expect((await lookUp(newUserCode(), '192.0.2.1')).data.valid).toBe(false)
    world.clock.advance(1000)
    const refused = await lookUp(device.user_code, '192.0.2.1')
    expect({ status: refused.status, code: refused.code }).toEqual({ status: 429, code: 'rate_limited' })
    expect(refused.headers['retry-after']).toBe(String(windowSeconds - 1))
    expect((await lookUp(device.user_code, '192.0.2.2')).data.valid).toBe(true)
    world.clock.advance((windowSeconds - 1) * 1000)
    expect((await lookUp(newUserCode(), '192.0.2.1')).status).toBe(200)
  })

  it('cannot outrun the count by asking all at once', async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => lookUp(newUserCode(), '192.0.2.1')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(perCaller)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(100 - perCaller)
  })

  it('is one user at approve and deny together, from whichever address', async () => {
    const device = await startDevice(world)
    for (let misses = 0; misses < perCaller; misses++) {
      const refused = await world.call('browser:member', `POST /device/auth/${misses % 2 ? 'approve' : 'deny'}`, {
        body: { code: newUserCode() },
        headers: from(`192.0.2.${misses}`),
      })
      expect(refused.code).toBe('invalid_code')
    }
    expect((await answer('browser:member', 'approve', device.user_code)).code).toBe('rate_limited')
    expect((await answer('browser:member', 'deny', device.user_code)).code).toBe('rate_limited')
    expect((await answer('browser:owner', 'approve', device.user_code)).status).toBe(200)
  })

  it('has its wrong guesses counted although it sends an Idempotency-Key', async () => {
    const send = (key: number) =>
      world.call('browser:member', 'POST /device/auth/approve', {
        body: { code: newUserCode() },
        headers: { 'idempotency-key': String(key) },
      })
    for (let misses = 0; misses < perCaller; misses++) expect((await send(misses)).code).toBe('invalid_code')
    expect((await send(perCaller)).code).toBe('rate_limited')
  })

  it('pays nothing for right codes, and nothing for what cannot be a code', async () => {
    const device = await startDevice(world)
    for (let asked = 0; asked < 3 * perCaller; asked++) {
      expect((await lookUp(device.user_code, '192.0.2.1')).data.valid).toBe(true)
      expect((await lookUp('nonsense', '192.0.2.1')).data.valid).toBe(false)
    }
  })

  it('gets ten wrong claims', async () => {
    const claim = (address: string) =>
      world.call(null, 'POST /device/auth/claim', {
        body: { code: '123456', code_verifier: 'v'.repeat(43) },
        headers: from(address),
      })
    for (let misses = 0; misses < perCaller; misses++) expect((await claim('192.0.2.1')).code).toBe('invalid_code')
    expect((await claim('192.0.2.1')).code).toBe('rate_limited')
    expect((await claim('192.0.2.2')).code).toBe('invalid_code')
  })

  test.each([
    ['192.0.2.7', 'ip:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', 'ip:2001:db8:1:2::/64'],
    ['2001:db8::9', 'ip:2001:db8:0:0::/64'],
    ['::1', 'ip:0:0:0:0::/64'],
    ['fe80::', 'ip:fe80:0:0:0::/64'],
    ['', 'ip:'],
  ])('is known by its network: %s', (address, caller) => expect(callerOfAddress(address)).toBe(caller))
})

describe('everybody together', () => {
  const missFrom = (index: number) => lookUp(newUserCode(), `198.51.${Math.floor(index / 250)}.${index % 250}`)

  it('many addresses do not buy many guesses: in a code’s life a hit is less likely than one in a million', async () => {
    const device = await startDevice(world)
    let accepted = 0
    for (let index = 0; index < total + 50; index++) if ((await missFrom(index)).status === 200) accepted++
    // A third of the limit is reserved for signed-in people, so strangers cannot lock them out.
    expect(accepted).toBe((total * 2) / 3)
    expect((await lookUp(device.user_code, '203.0.113.9')).code).toBe('rate_limited')
    const people: As[] = ['browser:owner', 'browser:admin', 'browser:member', 'browser:stranger']
    for (const as of people)
      for (let misses = 0; misses <= perCaller; misses++)
        if ((await answer(as, 'approve', newUserCode())).code === 'invalid_code') accepted++
    expect(accepted).toBe((total * 2) / 3 + people.length * perCaller)
    expect(accepted).toBeLessThanOrEqual(total)
    expect((await answer('browser:platform', 'approve', device.user_code)).status).toBe(200)
    expect((await pollDevice(world, device)).data.status).toBe('approved')
    // The calculation in user-code.test.ts relies on these limits per window.
    expect(guessProbability(guessesPerLife(accepted, windowSeconds, userCodeLifeSeconds))).toBeLessThan(1e-6)
  })

  it('old windows are swept', async () => {
    await missFrom(1)
    world.clock.advance(2 * 3_600_000)
    await sweep(world.open.platform)
    expect(await world.open.platform.db.selectFrom('guess_windows').selectAll().execute()).toEqual([])
  })
})

const exhaust = async (route: 'look-up' | 'claim' | 'answer', in_: World) => {
  for (let misses = 0; misses < perCaller; misses++) {
    if (route === 'look-up') await in_.call(null, `GET /device/auth/code/${newUserCode()}`)
    else if (route === 'answer')
      await in_.call('browser:owner', 'POST /device/auth/deny', { body: { code: newUserCode() } })
    else await in_.call(null, 'POST /device/auth/claim', { body: { code: '123456', code_verifier: 'v'.repeat(43) } })
  }
}
const limited = { status: 429, code: 'rate_limited' } as const
const code = 'BCDF-GHJK'

scenarios('device.look_up', (world) => exhaust('look-up', world), [
  { claim: 'after ten misses', as: null, path: { code }, ...limited },
])
scenarios('device.claim', (world) => exhaust('claim', world), [
  { claim: 'after ten misses', as: null, body: { code: '123456', code_verifier: 'v'.repeat(43) }, ...limited },
])
for (const operation of ['device.approve', 'device.deny'] as const)
  scenarios(operation, (world) => exhaust('answer', world), [
    { claim: 'after ten misses', as: 'browser:owner', body: { code }, ...limited },
  ])

const startAll = (in_: World) => useUpRate(in_, 'device', startsPerMinute)

scenarios(
  'device.start',
  startAll,
  [
    {
      claim: 'a network with hundreds of requests gets Retry-After, and no more rows are stored for it',
      as: null,
      ...limited,
      check: async ({ headers }, _given, { open, call, clock }) => {
        const waitMs = Number(headers['retry-after']) * 1000
        expect(waitMs).toBeLessThanOrEqual(60_000)
        expect(await open.platform.db.selectFrom('device_authorizations').select('id').execute()).toEqual([])
        clock.advance(waitMs)
        expect((await call(null, 'POST /device/auth')).status).toBe(200)
      },
    },
  ],
  ownWorld,
)

scenarios(
  'oauth.device_authorization',
  startAll,
  [{ claim: 'a network that has asked for hundreds', as: null, status: 400, code: 'slow_down' }],
  ownWorld,
)
