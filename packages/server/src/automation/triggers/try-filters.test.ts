// Guarantees: authors of filters see the result for an earlier delivery, rule by rule, and nothing is started. A
// delivery that was not stored completely is refused.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { firesOf, givenTrigger, sendHook } from './testing/given.ts'

const givenDelivery = async (world: World, payload: object = { action: 'opened', issue: { number: 7 } }) => {
  const trigger = await givenTrigger(world)
  await sendHook(world, trigger, payload)
  const [fire] = await firesOf(world, trigger)
  if (!fire) throw new Error('The hook was not logged')
  return { trigger, id: fire.id }
}

const opened = { field: 'action', operator: 'eq', value: 'opened' }
const path = ({ id }: { id: string }) => ({ id })
const body = { filters: [opened] }

scenarios('trigger_fires.try_filters', (world) => givenDelivery(world), [
  {
    claim: 'each rule with its result; nothing is fired',
    as: 'member',
    path,
    body: {
      filters: [opened, { field: 'issue.number', operator: 'eq', value: '8' }, { field: 'x', operator: 'exists' }],
    },
    status: 200,
    check: async ({ data }, { trigger }, world) => {
      expect(data).toEqual({
        passes: false,
        rules: [
          { ...opened, passes: true, actual: 'opened' },
          { field: 'issue.number', operator: 'eq', value: '8', passes: false, actual: 7 },
          { field: 'x', operator: 'exists', passes: false },
        ],
      })
      expect(await firesOf(world, trigger)).toHaveLength(1)
    },
  },
  {
    claim: 'rules that all match',
    as: 'key:agents:read',
    path,
    body,
    status: 200,
    check: ({ data }) => expect(data.passes).toBe(true),
  },
  {
    claim: 'without rules, everything is accepted',
    as: 'owner',
    path,
    body: { filters: [] },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ passes: true, rules: [] }),
  },
  {
    claim: 'an unknown operator',
    as: 'owner',
    path,
    body: { filters: [{ ...opened, operator: 'like' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a payload that was too large to store',
    as: 'owner',
    act: async (world) => {
      const { id } = await givenDelivery(world, { text: 'x'.repeat(70_000) })
      return world.call('owner', `POST /trigger-fires/${id}/filters`, { body })
    },
    status: 409,
    code: 'invalid_state',
  },
  { claim: 'unknown', as: 'owner', path: { id: '0'.repeat(26) }, body, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
])
