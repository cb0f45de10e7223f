// Guarantees: a device's key counts against the plan of its workspace, at approval and again at its creation.
import { expect } from 'vitest'
import { scenarios } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { setEntitlement } from '../../plans/service.ts'
import { type Device, pollDevice, startDevice } from './testing/devices.ts'

const codeOf = ({ device_code }: Device) => ({ device_code })

// The workspace's plan: no keys at all, or all of them in use.
const withKeyLimit = (limit: number, challenge: boolean) => async (world: World) => {
  await setEntitlement(world.ctx(), world.team.id, 'api_keys', null)
  const device = await startDevice(world, { kind: 'api_key', challenge, approvedBy: 'browser:owner' })
  await world.token('key:apps:read')
  await setEntitlement(world.ctx(), world.team.id, 'api_keys', limit)
  return device
}

for (const [limit, refusal] of [
  [1, { status: 402, code: 'limit_exceeded' }],
  [0, { status: 403, code: 'feature_not_available' }],
] as const) {
  scenarios('device.poll', withKeyLimit(limit, false), [
    {
      claim: `a plan with room for ${limit}: no key is made, and the approval stands until it lapses`,
      as: null,
      path: codeOf,
      ...refusal,
      check: async (_answer, device, world) => {
        await setEntitlement(world.ctx(), world.team.id, 'api_keys', null)
        expect((await pollDevice(world, device)).data.api_key).toMatch(/^mill-/)
      },
    },
  ])
  scenarios('device.claim', withKeyLimit(limit, true), [
    {
      claim: `a plan with room for ${limit}`,
      as: null,
      body: ({ claimCode, verifier }: Device) => ({ code: claimCode, code_verifier: verifier }),
      ...refusal,
    },
  ])
  scenarios(
    'device.approve',
    async (world) => {
      await world.token('key:apps:read')
      await setEntitlement(world.ctx(), world.team.id, 'api_keys', limit)
      return startDevice(world, { kind: 'api_key' })
    },
    [
      {
        claim: `a plan with room for ${limit}: the person learns it`,
        as: 'browser:owner',
        body: ({ user_code }: Device) => ({ code: user_code }),
        ...refusal,
      },
    ],
  )
}
