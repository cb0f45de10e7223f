// Guarantees: a self-hosted workspace has everything unless its operator sets limits; limits apply at once and in the
// documented order, and the refusal contains the figures.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guest, type Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx } from '#platform/core/ctx.ts'
import { Failure } from '#platform/core/errors.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { assignPlan, definePlan, entitlementOf, requireWithinLimit, setEntitlement } from './service.ts'

type Row = { resource: string } & Record<string, unknown>
const of = (rows: Row[], resource: string) => rows.find((row) => row.resource === resource)

scenarios('entitlements.list', (world) => setEntitlement(world.ctx(), world.team.id, 'seats', 7), [
  {
    claim: 'rows of the plan and of the operator, for anybody with a credential',
    as: 'key:apps:read',
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data.filter((row: Row) => row.resource === 'seats').map((row: Row) => row.source)).toEqual([
        'override',
        'tier',
      ])
      expect(of(data, 'seats')).toMatchObject({ scope: 'team', team_id: world.team.id, limit: 7, unlimited: false })
      expect(of(data, 'triggers')).toMatchObject({
        type: 'limit',
        enabled: true,
        unlimited: true,
        enforcement: 'block',
      })
      expect(of(data, 'retention_days')).toMatchObject({ unlimited: false, limit: 90, source: 'tier' })
      expect(of(data, 'feature:byok')).toMatchObject({ type: 'boolean', enabled: true })
      const ids = data.map((row: Row) => row.id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const id of ids) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{26}$/)
    },
  },
  {
    claim: 'another workspace has its own',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data.some((row: Row) => row.source === 'override')).toBe(false),
  },
])

scenarios('entitlements.usage', (world) => setEntitlement(world.ctx(), world.team.id, 'api_keys', 9), [
  {
    claim: 'one row per resource, with what is used',
    as: 'key:apps:read',
    status: 200,
    check: ({ data }) => {
      expect(new Set(data.map((row: Row) => row.resource)).size).toBe(data.length)
      expect(of(data, 'api_keys')).toEqual({
        resource: 'api_keys',
        label: 'API keys',
        type: 'limit',
        enabled: true,
        unlimited: false,
        limit: 9,
        current: 1,
        enforcement: 'block',
      })
    },
  },
])

scenarios('plans.list', () => null, [
  {
    claim: 'anyone reads the plans; out of the box there is one, without limits',
    as: null,
    status: 200,
    check: ({ data }) => {
      expect(data).toHaveLength(1)
      expect(data[0]).toMatchObject({ name: 'self-hosted', plan_type: 'base', active: true, stackable: false })
      expect(data[0].limits.storage_mb).toMatchObject({ type: 'limit', label: 'Storage', unit: 'MB', limit: 20_000 })
      expect(data[0].limits.retention_days).toMatchObject({ limit: 90, unlimited: false })
    },
  },
])

const small = { plan_type: 'base', limits: { triggers: { type: 'limit', limit: 3 } } }

scenarios('plans.set', () => null, [
  {
    claim: 'a plan of the operator’s own, which everybody sees',
    as: 'platform',
    path: { name: 'small' },
    body: { ...small, description: 'For one mill' },
    status: 200,
    audits: ['plan.set'],
    emits: ['limits'],
    check: async ({ data }, _given, world) => {
      expect(data).toMatchObject({
        name: 'small',
        plan_type: 'base',
        limits: { triggers: { label: 'Triggers', limit: 3 } },
      })
      const { data: plans } = await world.call(null, 'GET /plans')
      expect(plans.map(({ name }: { name: string }) => name).sort()).toEqual(['self-hosted', 'small'])
    },
  },
  {
    claim: 'changed, it keeps its id and what was not said',
    as: 'platform',
    path: { name: 'small' },
    body: { ...small, limits: { 'feature:byok': { type: 'boolean', enabled: false } } },
    status: 200,
    audits: ['plan.set'],
    emits: ['limits'],
    check: ({ data }) => {
      expect(data.description).toBe('For one mill')
      expect(Object.keys(data.limits)).toEqual(['feature:byok'])
    },
  },
  {
    claim: 'a tier does not turn into an add-on',
    as: 'platform',
    path: { name: 'self-hosted' },
    body: { plan_type: 'addon', limits: {} },
    status: 409,
    code: 'conflict',
  },
  ...[
    ['a name that is none', { name: 'No Name' }, small],
    ['no type', { name: 'small' }, { limits: {} }],
    ['an unknown resource', { name: 'small' }, { plan_type: 'base', limits: { keys: { type: 'limit' } } }],
    ['a switch that counts', { name: 'small' }, { plan_type: 'base', limits: { 'feature:byok': { type: 'limit' } } }],
  ].map(([claim, path, body]) => ({
    claim: String(claim),
    as: 'platform' as const,
    path: path as { name: string },
    body,
    status: 400,
    code: 'validation_error',
  })),
  { claim: 'an owner', as: 'owner', path: { name: 'small' }, body: small, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path: { name: 'small' }, body: small, status: 403, code: 'requires_sign_in' },
])

scenarios('plans.delete', (world) => world.call('platform', 'PUT /plans/small', { body: small }), [
  {
    claim: 'one that a workspace has stays, and says how many do',
    as: 'platform',
    act: async (world) => {
      await assignPlan(world.ctx(), world.team.id, 'small')
      return world.call('platform', 'DELETE /plans/small')
    },
    status: 409,
    code: 'conflict',
    audits: ['plan.assigned'],
    emits: ['limits'],
    check: ({ text }) => expect(text).toContain('The plan small is used by workspaces (1); remove it from them first'),
  },
  { claim: 'the default one', as: 'platform', path: { name: 'self-hosted' }, status: 409, code: 'conflict' },
  { claim: 'one that is not there', as: 'platform', path: { name: 'large' }, status: 404, code: 'not_found' },
  { claim: 'a name that is none', as: 'platform', path: { name: 'No Name' }, status: 404, code: 'not_found' },
  { claim: 'a long name', as: 'platform', path: { name: 'x'.repeat(65) }, status: 404, code: 'not_found' },
  { claim: 'an owner', as: 'owner', path: { name: 'small' }, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', path: { name: 'small' }, status: 403, code: 'requires_sign_in' },
  {
    claim: 'one that no workspace has is gone',
    as: 'platform',
    act: async (world) => {
      await world.call('platform', `DELETE /workspaces/${world.team.id}/plans/small`)
      return world.call('platform', 'DELETE /plans/small')
    },
    status: 200,
    audits: ['plan.ended', 'plan.deleted'],
    emits: ['limits'],
    check: async (_answer, _given, world) => {
      const { data: plans } = await world.call(null, 'GET /plans')
      expect(plans.map(({ name }: { name: string }) => name)).toEqual(['self-hosted'])
    },
  },
])

describe('the question a feature asks before it adds', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  const memberCtx = (): Ctx =>
    createCtx<Member>(world.open.platform, {
      kind: 'session',
      credentialId: 's',
      userId: world.people.owner.userId,
      teamId: world.team.id,
      role: 'owner',
      isPerson: true,
      personalTeam: false,
      orgId: null,
      orgAdmin: false,
      grant: { kind: 'everything' },
      platform: 'not_staff',
      inPlatformTeam: false,
      expiresAtMs: null,
    })
  const ask = async (resource: string, current: number, adding = 1) => {
    const ctx = memberCtx()
    try {
      await ctx.tx((ctx) => requireWithinLimit(ctx, resource, { adding, current: async () => current }))
      return ctx.notices.length === 0 ? 'ok' : ctx.notices
    } catch (error) {
      if (error instanceof Failure) return { code: error.code, meta: error.options.meta }
      throw error
    }
  }

  it('passes when nothing is limited, without counting', async () => {
    const ctx = memberCtx()
    await requireWithinLimit(ctx, 'triggers', {
      current: () => Promise.reject(new Error('was counted')),
    })
    expect(await ask('feature:anything', 0)).toBe('ok')
  })

  it('names resource, limit and use when it does not', async () => {
    await setEntitlement(world.ctx(), world.team.id, 'triggers', 3)
    expect(await ask('triggers', 2)).toBe('ok')
    expect(await ask('triggers', 2, 2)).toEqual({
      code: 'limit_exceeded',
      meta: { resource: 'triggers', resource_label: 'Triggers', limit: 3, current: 2, upgrade_available: false },
    })
    await setEntitlement(world.ctx(), world.team.id, 'triggers', 0)
    expect(await ask('triggers', 0)).toMatchObject({ code: 'feature_not_available', meta: { limit: 0, current: 0 } })
    await setEntitlement(world.ctx(), world.team.id, 'triggers', null)
    expect(await ask('triggers', 1e6)).toBe('ok')
  })

  it('a feature is taken away and given back', async () => {
    await setEntitlement(world.ctx(), world.team.id, 'feature:byok', 0)
    expect(await ask('feature:byok', 0)).toMatchObject({ code: 'feature_not_available' })
    await setEntitlement(world.ctx(), world.team.id, 'feature:byok', null)
    expect(await ask('feature:byok', 0)).toBe('ok')
  })

  it('warns instead of refusing where the operator said so', async () => {
    await setEntitlement(world.ctx(), world.team.id, 'connectors', 1, { enforcement: 'warn' })
    expect(await ask('connectors', 1)).toMatchObject([{ level: 'warning', code: 'limit_exceeded', meta: { limit: 1 } }])
  })

  it('a row that has expired no longer counts', async () => {
    const expiresAt = new Date(world.clock.now().getTime() + 60_000)
    await setEntitlement(world.ctx(), world.team.id, 'seats', 1, { source: 'trial', expiresAt })
    expect((await entitlementOf(memberCtx(), 'seats')).limit).toBe(1)
    world.clock.advance(60_000)
    expect((await entitlementOf(memberCtx(), 'seats')).unlimited).toBe(true)
  })

  it('tiers and add-ons of the operator: the tier over the default, add-ons on top, overrides over both', async () => {
    const ctx = world.ctx()
    await definePlan(ctx, 'small', { plan_type: 'base', limits: { private_apps: { type: 'limit', limit: 2 } } })
    await definePlan(ctx, 'more-apps', { plan_type: 'addon', limits: { private_apps: { type: 'limit', limit: 5 } } })
    const now = async () => {
      const { limit, unlimited } = await entitlementOf(memberCtx(), 'private_apps')
      return unlimited ? 'unlimited' : limit
    }
    expect(await now()).toBe('unlimited')
    await assignPlan(ctx, world.team.id, 'small')
    expect(await now()).toBe(2)
    expect((await entitlementOf(memberCtx(), 'retention_days')).limit).toBe(90)
    await assignPlan(ctx, world.team.id, 'more-apps')
    expect(await now()).toBe(7)
    await setEntitlement(ctx, world.team.id, 'private_apps', 100)
    expect(await now()).toBe(100)
    expect(await world.audits()).toEqual(expect.arrayContaining(['plan.assigned', 'entitlement.set']))
    const { data } = await world.call('owner', 'GET /entitlements')
    expect(data.find((row: Row) => row.source === 'addon')).toMatchObject({ resource: 'private_apps', limit: 5 })
    await assignPlan(ctx, world.team.id, 'self-hosted')
    expect((await entitlementOf(memberCtx(), 'private_apps', world.otherTeam.id)).unlimited).toBe(true)
    await expect(assignPlan(ctx, world.team.id, 'nope')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('a plan that could be taken shows in the refusal', async () => {
    const { id } = await definePlan(world.ctx(), 'storage-pack', {
      plan_type: 'addon',
      limits: { storage_mb: { type: 'limit', limit: 1000 } },
    })
    await setEntitlement(world.ctx(), world.team.id, 'storage_mb', 10)
    expect(await ask('storage_mb', 10)).toMatchObject({ meta: { upgrade_available: false } })
    await world.open.platform.db.updateTable('plans').set({ self_serve: true }).where('id', '=', id).execute()
    expect(await ask('storage_mb', 10)).toMatchObject({
      meta: { upgrade_available: true, addon_plan_id: id, addon_plan_name: 'storage-pack' },
    })
  })

  it('refuses what it cannot mean', async () => {
    const set = (resource: string, limit: number | null) => setEntitlement(world.ctx(), world.team.id, resource, limit)
    for (const [resource, limit] of [
      ['keys', 1],
      ['seats', -1],
      ['seats', 1.5],
      ['seats', Number.NaN],
    ] as const)
      await expect(set(resource, limit)).rejects.toMatchObject({ code: 'validation_error' })
  })

  it('a database that cannot be read is not a plan that says no', async () => {
    const ctx = createCtx({ ...world.open.platform }, guest)
    await ctx
      .tx(async (ctx) => {
        await ctx.db.schema.dropTable('entitlements').execute()
        await expect(entitlementOf(ctx, 'seats', world.team.id)).rejects.toMatchObject({
          code: 'entitlement_unavailable',
          status: 500,
        })
        throw new Error('roll back')
      })
      .catch((error: Error) => expect(error.message).toBe('roll back'))
  })
})
