// Guarantees: exactly the allowed number of requests per minute and workspace, for any number of replicas, with headers
// that show the client its remaining requests.
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Actor, guest, type Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { Failure } from '#platform/core/errors.ts'
import { operation } from '#platform/core/operation.ts'
import { createBlocks } from '#platform/http/block-requests.ts'
import { ownOrigins } from '#platform/http/cors.ts'
import { createMetrics } from '#platform/http/metrics.ts'
import { createHttpServer } from '#platform/http/server.ts'
import { type OpenPlatform, openPlatform } from '#start/platform.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { entitlementUsage, setEntitlement } from '../plans/service.ts'
import { limitRate, sweepRateWindows, takeFromRate } from './rate-limits.ts'
import { startAccess } from './service.ts'

let world: World
let second: OpenPlatform
beforeAll(async () => {
  world = await createWorld({ settings: { RATE_LIMIT_RUN: '20', RATE_LIMIT_UPLOAD: '3' } })
  const { settings, log } = world.open.platform
  second = await openPlatform({ settings, log, connectionString: world.connectionString, maxConnections: 4 })
})
afterAll(async () => {
  await second?.close()
  await world?.close()
})

const memberOf = (teamId: string): Member => ({
  kind: 'key',
  credentialId: 'k',
  userId: 'u',
  teamId,
  role: 'member',
  isPerson: true,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  grant: { kind: 'everything' },
  platform: 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})

const minuteStart = Date.parse('2030-01-01T10:00:00Z')

const at = (platform: Platform, actor: Actor, nowMs: number, ip = '192.0.2.1') =>
  createCtx({ ...platform, now: () => new Date(nowMs) }, actor, {
    origin: { requestId: 'r', ip, userAgent: '', traceparent: '' },
  })

const ask = (nowMs: number, actor: Actor = memberOf('t'), ip?: string) =>
  limitRate(at(world.open.platform, actor, nowMs, ip), 'upload').catch((error: unknown) => {
    if (error instanceof Failure) return { code: error.code, ...error.options.headers }
    throw error
  })

describe('one workspace', () => {
  it('gets its number, told how many remain and when the minute ends, then a wait in whole seconds', async () => {
    const reset = String(minuteStart / 1000 + 60)
    expect(await ask(minuteStart + 1)).toEqual({ 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': reset })
    expect(await ask(minuteStart + 2)).toEqual({ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': reset })
    expect(await ask(minuteStart + 3)).toEqual({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset })
    const refused = { code: 'rate_limited', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    expect(await ask(minuteStart + 4_500)).toEqual({ ...refused, 'retry-after': '56' })
    expect(await ask(minuteStart + 59_999)).toEqual({ ...refused, 'retry-after': '1' })
    expect(await ask(minuteStart + 60_000)).toMatchObject({ 'x-ratelimit-remaining': '2' })
  })

  it('does not use up another’s number, and signed-out callers count by the network of their address', async () => {
    const nowMs = minuteStart + 600_000
    for (let count = 0; count < 4; count += 1) await ask(nowMs, memberOf('a'))
    expect(await ask(nowMs, memberOf('a'))).toMatchObject({ code: 'rate_limited' })
    expect(await ask(nowMs, memberOf('b'))).toMatchObject({ 'x-ratelimit-remaining': '2' })
    expect(await ask(nowMs, guest, '192.0.2.7')).toMatchObject({ 'x-ratelimit-remaining': '2' })
    expect(await ask(nowMs, guest, '192.0.2.7')).toMatchObject({ 'x-ratelimit-remaining': '1' })
    expect(await ask(nowMs, guest, '192.0.2.8')).toMatchObject({ 'x-ratelimit-remaining': '2' })
    for (let count = 0; count < 3; count += 1) await ask(nowMs, guest, `2001:db8:1:2::${count}`)
    expect(await ask(nowMs, guest, '2001:db8:1:2:3:4:5:6')).toMatchObject({ code: 'rate_limited' })
    expect(await ask(nowMs, guest, '2001:db8:1:3::1')).toMatchObject({ 'x-ratelimit-remaining': '2' })
  })

  it('0 turns a limit off', async () => {
    const ctx = at(world.open.platform, memberOf('t'), minuteStart)
    expect(await limitRate(ctx, 'get_task')).toEqual({})
  })
})

describe('a workspace whose plan says a number of its own', () => {
  const nowMs = minuteStart + 2_400_000
  const run = (teamId: string) =>
    limitRate(at(world.open.platform, memberOf(teamId), nowMs), 'run').then(
      () => 'passed',
      (error: Failure) => error.code,
    )
  const passes = async (teamId: string, many: number) => {
    const asked = await Promise.all(Array.from({ length: many }, () => run(teamId)))
    expect(new Set(asked)).toEqual(new Set(['passed', 'rate_limited']))
    return asked.filter((answer) => answer === 'passed').length
  }

  it('gets that, be it more or less than all others', async () => {
    const [less, more] = [world.otherTeam.id, world.people.member.personalTeamId]
    await setEntitlement(world.ctx(), less, 'rate_per_min', 2)
    await setEntitlement(world.ctx(), more, 'rate_per_min', 30)
    expect([await passes(less, 5), await passes(more, 35), await passes(world.team.id, 35)]).toEqual([2, 30, 20])
    const usage = await entitlementUsage(at(world.open.platform, memberOf(less), nowMs) as Ctx<Member>)
    expect(usage.find(({ resource }) => resource === 'rate_per_min')).toMatchObject({ limit: 2, current: 5 })
    // Task reads and uploads are not runs.
    expect(await limitRate(at(world.open.platform, memberOf(less), nowMs), 'get_task')).toEqual({})
  })

  it('also for runs that triggers start', async () => {
    const id = world.people.admin.personalTeamId
    await setEntitlement(world.ctx(), id, 'rate_per_min', 3)
    const taken = await takeFromRate(at(world.open.platform, guest, nowMs), id, 'run', 5)
    expect(taken).toMatchObject({ granted: 3, refusal: { code: 'rate_limited' } })
  })

  it('and where only a warning is wanted, the number of all others', async () => {
    const id = world.people.stranger.personalTeamId
    await setEntitlement(world.ctx(), id, 'rate_per_min', 2, { enforcement: 'warn' })
    expect(await passes(id, 25)).toBe(20)
  })
})

describe('two replicas', () => {
  it('let exactly the allowed number through, asked all at once', async () => {
    const nowMs = minuteStart + 1_200_000
    const asked = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) => {
        const platform = index % 2 === 0 ? world.open.platform : second.platform
        return limitRate(at(platform, memberOf('busy'), nowMs), 'run')
      }),
    )
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  })

  it('a window far ahead, left by a clock that has been put right, locks nobody out', async () => {
    const ctx = createCtx(world.open.platform, memberOf('ahead'))
    world.clock.advance(24 * 3600_000)
    for (let count = 0; count < 3; count += 1) await limitRate(ctx, 'upload')
    await expect(limitRate(ctx, 'upload')).rejects.toMatchObject({ code: 'rate_limited' })
    world.clock.advance(-24 * 3600_000)
    expect(await limitRate(ctx, 'upload')).toMatchObject({ 'x-ratelimit-remaining': '2' })
  })

  it('whose clocks disagree about the minute share the later one', async () => {
    const early = minuteStart + 1_800_000 - 500
    const late = early + 1000
    const clocks = [late, early]
    const asked = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        limitRate(at(world.open.platform, memberOf('skewed'), clocks[index % 2] ?? late), 'run'),
      ),
    )
    const passed = asked.filter(({ status }) => status === 'fulfilled').length
    // Calls that the slow clock counted before the fast clock opened its minute belong to the previous minute.
    expect(passed).toBeLessThanOrEqual(40)
    expect(passed).toBeGreaterThanOrEqual(20)
    await expect(limitRate(at(world.open.platform, memberOf('skewed'), early), 'run')).rejects.toThrow(Failure)
  })
})

describe('through the route of two servers', () => {
  const limited = operation({
    name: 'limited',
    route: 'POST /limited',
    summary: 'Counted',
    scope: 'apps:execute',
    rateLimit: 'run',
    reply: Type.Object({}),
    run: () => ({}),
  })
  const serve = async (platform: Platform) => {
    const app = await createHttpServer({
      platform: { ...platform, now: world.clock.now },
      gate: startAccess(platform, ownOrigins(platform.settings)).gate,
      blocks: await createBlocks(platform),
      metrics: createMetrics(),
      operations: [limited],
      routes: [],
    })
    await app.ready()
    return app
  }

  it('exactly the allowed number is served; a refusal says when to come back; other workspaces are not touched', async () => {
    const apps = [await serve(world.open.platform), await serve(second.platform)] as const
    const key = await world.token('key:apps:execute')
    const strangersKey = await world.token('stranger-key:apps:execute')
    const withoutScope = await world.token('key:apps:read')
    const post = (index: number, token: string | null) =>
      apps[index % 2 === 0 ? 0 : 1].inject({
        method: 'POST',
        url: '/limited',
        headers: { authorization: `Bearer ${token}` },
      })
    // Requests without the scope do not count against the limit.
    for (let count = 0; count < 5; count += 1) expect((await post(count, withoutScope)).statusCode).toBe(403)
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => post(index, key)))
    const served = answers.filter(({ statusCode }) => statusCode === 200)
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect([served.length, refused.length]).toEqual([20, 30])
    const remaining = served.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    for (const { headers, body } of refused) {
      expect(headers['content-type']).toContain('application/problem+json')
      expect(JSON.parse(body).type).toContain('/errors/rate_limited')
      expect(headers['retry-after']).toMatch(/^([1-9]|[1-5]\d|60)$/)
      expect(Number(headers['x-ratelimit-reset']) * 1000).toBeGreaterThan(world.clock.now().getTime())
    }
    expect((await post(0, strangersKey)).statusCode).toBe(200)
    await Promise.all(apps.map((app) => app.close()))
  })
})

it('windows that nobody counts into are swept, present ones stay', async () => {
  const { db } = world.open.platform
  await ask(minuteStart + 7_200_000, memberOf('present'))
  await sweepRateWindows(db, new Date(minuteStart + 7_200_000))
  const left = await db.selectFrom('rate_windows').select('team_id').execute()
  expect(left).toEqual([{ team_id: 'present' }])
})
