// Guarantees: staff see every workspace; limits and plans that they set take effect at once and can be removed; a
// blocked address is rejected until it is unblocked; nobody else has access to any of it.
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { definePlan, entitlementOf } from '#accounts/plans/service.ts'
import { type Scenario, scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { blockNetwork } from './service.ts'

type Given = { id: string; triggers: () => Promise<number | 'unlimited'> }
type Limit = { resource: string; overridden: boolean; limit: number }

const shared = sharedWorld()
const of = (limits: Limit[], resource: string) => limits.find((limit) => limit.resource === resource)

const given = async (world: World): Promise<Given> => {
  await definePlan(world.ctx(), 'small', { plan_type: 'base', limits: { triggers: { type: 'limit', limit: 3 } } })
  await definePlan(world.ctx(), 'more', { plan_type: 'addon', limits: { triggers: { type: 'limit', limit: 2 } } })
  return {
    id: world.team.id,
    triggers: async () => {
      const { unlimited, limit } = await entitlementOf(world.ctx(), 'triggers', world.team.id)
      return unlimited ? 'unlimited' : limit
    },
  }
}

/** Callers that every operation of the installation rejects. */
const strangers = (more: Partial<Scenario<Given>> = {}): Scenario<Given>[] => [
  { claim: 'an owner', as: 'owner', status: 403, code: 'forbidden', ...more },
  { claim: 'a key with full access', as: 'key:', status: 403, code: 'requires_sign_in', ...more },
  { claim: 'signed out', as: null, status: 401, code: 'unauthorized', ...more },
]

const path = ({ id }: Given) => ({ id })
const nowhere = { id: newId() }

scenarios<Given>(
  'workspaces.list',
  given,
  [
    {
      claim: 'every workspace, with its members and plans',
      as: 'platform',
      query: { limit: '100' },
      status: 200,
      check: ({ data }, { id }, world) => {
        const items = data.items as { id: string }[]
        expect(items.map((one) => one.id)).toEqual(expect.arrayContaining([id, world.otherTeam.id]))
        expect(items.find((one) => one.id === id)).toMatchObject({
          username: 'mill',
          type: 'team',
          status: 'active',
          billing_status: 'active',
          plans: [],
          members: expect.any(Number),
        })
      },
    },
    {
      claim: 'found by a part of its name',
      as: 'platform',
      route: 'POST /workspaces/list',
      body: { search: { term: 'mil' } },
      status: 200,
      check: ({ data }) => expect(data.items.map(({ username }: { username: string }) => username)).toContain('mill'),
    },
    { claim: 'an invalid limit', as: 'platform', query: { limit: 'x' }, status: 400, code: 'validation_error' },
    ...strangers(),
  ],
  shared,
)

scenarios<Given>(
  'workspaces.get',
  given,
  [
    {
      claim: 'one workspace',
      as: 'platform',
      path,
      status: 200,
      check: ({ data }, { id }) => expect(data).toMatchObject({ id, username: 'mill' }),
    },
    { claim: 'an unknown workspace', as: 'platform', path: nowhere, status: 404, code: 'not_found' },
    ...strangers({ path }),
  ],
  shared,
)

scenarios<Given>(
  'workspaces.limits',
  given,
  [
    {
      claim: 'each resource, without overrides',
      as: 'platform',
      path,
      status: 200,
      check: ({ data }) => expect(of(data, 'triggers')).toMatchObject({ unlimited: true, overridden: false }),
    },
    { claim: 'of an unknown workspace', as: 'platform', path: nowhere, status: 404, code: 'not_found' },
    ...strangers({ path }),
  ],
  shared,
)

const triggers = ({ id }: Given) => ({ id, resource: 'triggers' })

scenarios<Given>(
  'workspaces.set_limit',
  given,
  [
    {
      claim: 'an override takes effect at once',
      as: 'platform',
      path: triggers,
      body: { limit: 4, enforcement: 'warn' },
      status: 200,
      audits: ['entitlement.set'],
      emits: ['limits'],
      check: async ({ data }, { triggers }) => {
        expect(of(data, 'triggers')).toMatchObject({ limit: 4, enforcement: 'warn', overridden: true })
        expect(await triggers()).toBe(4)
      },
    },
    {
      claim: 'null is unlimited',
      as: 'platform',
      path: triggers,
      body: { limit: null },
      status: 200,
      audits: ['entitlement.set'],
      emits: ['limits'],
      check: async (_answer, { triggers }) => expect(await triggers()).toBe('unlimited'),
    },
    ...[{}, { limit: -1 }, { limit: 1.5 }, { limit: 1, enforcement: 'shout' }].map((body) => ({
      claim: `${JSON.stringify(body)} is not a valid limit`,
      as: 'platform' as const,
      path: triggers,
      body,
      status: 400,
      code: 'validation_error',
    })),
    {
      claim: 'an unknown resource',
      as: 'platform',
      path: ({ id }) => ({ id, resource: 'keys' }),
      body: { limit: 1 },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'of an unknown workspace',
      as: 'platform',
      path: { ...nowhere, resource: 'triggers' },
      body: { limit: 1 },
      status: 404,
      code: 'not_found',
    },
    ...strangers({ path: triggers, body: { limit: 1 } }),
  ],
  shared,
)

scenarios<Given>(
  'workspaces.clear_limit',
  given,
  [
    {
      claim: 'an override is removed, and the plan applies again',
      as: 'platform',
      act: async (world, { id }) => {
        await world.call('platform', `PUT /workspaces/${id}/limits/triggers`, { body: { limit: 0 } })
        return world.call('platform', `DELETE /workspaces/${id}/limits/triggers`)
      },
      status: 200,
      audits: ['entitlement.set', 'entitlement.cleared'],
      emits: ['limits'],
      check: async ({ data }, { triggers }) => {
        expect(of(data, 'triggers')?.overridden).toBe(false)
        expect(await triggers()).toBe('unlimited')
      },
    },
    { claim: 'without an override', as: 'platform', path: triggers, status: 404, code: 'not_found' },
    ...strangers({ path: triggers }),
  ],
  shared,
)

const onSmall = ({ id }: Given) => ({ id, plan: 'small' })

scenarios<Given>(
  'workspaces.set_plan',
  given,
  [
    {
      claim: 'a tier replaces the default',
      as: 'platform',
      path: onSmall,
      status: 200,
      audits: ['plan.assigned'],
      emits: ['limits'],
      check: async ({ data }, { triggers }) => {
        expect(data.plans).toEqual(['small'])
        expect(await triggers()).toBe(3)
      },
    },
    {
      claim: 'an add-on that is added twice exists once',
      as: 'platform',
      act: async (world, { id }) => {
        for (const plan of ['small', 'more']) await world.call('platform', `PUT /workspaces/${id}/plans/${plan}`)
        return world.call('platform', `PUT /workspaces/${id}/plans/more`)
      },
      status: 200,
      audits: ['plan.assigned', 'plan.assigned'],
      emits: ['limits'],
      check: async ({ data }, { triggers }) => {
        expect(data.plans).toEqual(['small', 'more'])
        expect(await triggers()).toBe(5)
      },
    },
    {
      claim: 'an unknown plan',
      as: 'platform',
      path: ({ id }) => ({ id, plan: 'none' }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'an unknown plan with a long name',
      as: 'platform',
      path: ({ id }) => ({ id, plan: 'x'.repeat(65) }),
      status: 404,
      code: 'not_found',
    },
    ...strangers({ path: onSmall }),
  ],
  shared,
)

scenarios<Given>(
  'workspaces.end_plan',
  given,
  [
    {
      claim: 'without its tier the default applies',
      as: 'platform',
      act: async (world, { id }) => {
        await world.call('platform', `PUT /workspaces/${id}/plans/small`)
        return world.call('platform', `DELETE /workspaces/${id}/plans/small`)
      },
      status: 200,
      audits: ['plan.assigned', 'plan.ended'],
      emits: ['limits'],
      check: ({ data }) => expect(data.plans).not.toContain('small'),
    },
    {
      claim: 'a plan that the workspace does not have',
      as: 'platform',
      path: ({ id }) => ({ id, plan: 'self-hosted' }),
      status: 404,
      code: 'not_found',
    },
    ...strangers({ path: onSmall }),
  ],
  shared,
)

const network = '203.0.113.0/24'

scenarios<Given>(
  'ip_blocks.create',
  given,
  [
    {
      claim: 'a network, in normalized form',
      as: 'platform',
      body: { network: '203.0.113.9/24', reason: 'floods' },
      status: 200,
      audits: ['ip_block.set'],
      check: ({ data }) => expect(data).toMatchObject({ network, reason: 'floods' }),
    },
    {
      claim: 'a network that contains the caller’s address would lock the caller out',
      as: 'platform',
      body: { network: '127.0.0.0/8' },
      status: 409,
      code: 'conflict',
    },
    { claim: 'no network', as: 'platform', body: { network: 'mill' }, status: 400, code: 'validation_error' },
    { claim: 'nothing', as: 'platform', body: {}, status: 400, code: 'validation_error' },
    ...strangers({ body: { network } }),
  ],
  shared,
)

scenarios<Given>(
  'ip_blocks.list',
  async (world) => {
    await blockNetwork(world.ctx(), { network: '198.51.100.7', reason: 'guesses passwords' })
    return given(world)
  },
  [
    {
      claim: 'the blocked networks, with reasons',
      as: 'platform',
      route: 'POST /ip-blocks/list',
      body: { search: { term: 'guesses' } },
      status: 200,
      check: ({ data }) =>
        expect(data.items).toMatchObject([{ network: '198.51.100.7/32', reason: 'guesses passwords' }]),
    },
    { claim: 'an invalid limit', as: 'platform', query: { limit: 'x' }, status: 400, code: 'validation_error' },
    ...strangers(),
  ],
  shared,
)

scenarios<Given>(
  'ip_blocks.delete',
  async (world) => ({ ...(await given(world)), id: (await blockNetwork(world.ctx(), { network: '192.0.2.0/24' })).id }),
  [
    { claim: 'a network is unblocked', as: 'platform', path, status: 200, audits: ['ip_block.lifted'] },
    { claim: 'an unknown block', as: 'platform', path: nowhere, status: 404, code: 'not_found' },
    ...strangers({ path }),
  ],
  shared,
)
