// Guarantees: a credential is created and delivered exactly once, with any concurrent polls, claims and answers; never
// for a person who has lost the workspace meanwhile; ended rows are deleted.

import { deviceCodeGrant } from '@millrace/contract/device'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { sweep } from './service.ts'
import { form, pollDevice, startDevice } from './testing/devices.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const countMinted = async () => {
  const { db } = world.open.platform
  const sessions = await db.selectFrom('auth_sessions').select('id').where('auth_method', '=', 'device-auth').execute()
  const keys = await db.selectFrom('api_keys').select('id').where('source', '=', 'device-auth').execute()
  return sessions.length + keys.length
}

const hundred = <T>(make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 100 }, (_unused, index) => make(index)))

describe('one-shot delivery', () => {
  let mintedBefore: number
  beforeEach(async () => {
    mintedBefore = await countMinted()
  })

  it.each(['session', 'api_key'] as const)('100 polls at once: one %s, 99 times expired', async (kind) => {
    const device = await startDevice(world, { kind, approvedBy: 'browser:owner' })
    const answers = await hundred(() => pollDevice(world, device))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    const winners = answers.filter(({ data }) => data.status === 'approved')
    expect(winners).toHaveLength(1)
    expect(Object.keys(winners[0]?.data ?? {}).sort()).toEqual(
      (kind === 'session' ? ['session_token', 'status', 'team_id'] : ['api_key', 'status', 'team_id']).sort(),
    )
    expect(answers.filter(({ data }) => data.status === 'expired')).toHaveLength(99)
    expect(await countMinted()).toBe(mintedBefore + 1)
  })

  it('100 token requests at once: one token, 99 times expired_token', async () => {
    const device = await startDevice(world, { approvedBy: 'browser:owner' })
    const fields = form({ grant_type: deviceCodeGrant, device_code: device.device_code })
    const answers = await hundred(() => world.call(null, 'POST /oauth/token', fields))
    expect(answers.filter(({ json }) => json.access_token !== undefined)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'expired_token')).toHaveLength(99)
    expect(await countMinted()).toBe(mintedBefore + 1)
  })

  it('polls and claims at once: one of them', async () => {
    const device = await startDevice(world, { challenge: true, approvedBy: 'browser:owner' })
    const body = { code: device.claimCode, code_verifier: device.verifier }
    const answers = await hundred((index) =>
      index % 2 === 0 ? pollDevice(world, device) : world.call(null, 'POST /device/auth/claim', { body }),
    )
    expect(answers.filter(({ data }) => data?.session_token !== undefined)).toHaveLength(1)
    expect(await countMinted()).toBe(mintedBefore + 1)
  })

  it('polls during the approval: at most one approval, one credential', async () => {
    const device = await startDevice(world)
    const answers = await hundred((index) =>
      index % 10 === 0
        ? world.call(index % 20 === 0 ? 'browser:owner' : 'browser:admin', 'POST /device/auth/approve', {
            body: { code: device.user_code },
          })
        : pollDevice(world, device),
    )
    expect(answers.filter(({ data }) => data?.success === true)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 'already_processed')).toHaveLength(9)
    answers.push(await pollDevice(world, device))
    expect(answers.filter(({ data }) => data?.session_token !== undefined)).toHaveLength(1)
    expect(await countMinted()).toBe(mintedBefore + 1)
  })

  it('an Idempotency-Key does not bring the token back', async () => {
    const device = await startDevice(world, { approvedBy: 'browser:owner' })
    const fields = form({ grant_type: deviceCodeGrant, device_code: device.device_code })
    const send = () =>
      world.call(null, 'POST /oauth/token', { ...fields, headers: { ...fields.headers, 'idempotency-key': 'again' } })
    expect((await send()).json.access_token).toBeDefined()
    expect((await send()).code).toBe('expired_token')
  })

  it('nothing for a person who left the workspace meanwhile', async () => {
    const device = await startDevice(world, { kind: 'api_key', approvedBy: 'browser:member' })
    const { db } = world.open.platform
    await db.deleteFrom('team_members').where('user_id', '=', world.people.member.userId).execute()
    expect((await pollDevice(world, device)).data).toEqual({ status: 'expired' })
    expect(await countMinted()).toBe(mintedBefore)
  })
})

describe('the sweep', () => {
  const rowOf = (userCode: string) =>
    world.open.platform.db
      .selectFrom('device_authorizations')
      .select(['status', 'claim_code_hash'])
      .where('user_code', '=', userCode)
      .executeTakeFirst()

  it('marks what has lapsed, keeps it for an hour, then deletes it; what lives stays', async () => {
    const lapsed = await startDevice(world, { challenge: true, approvedBy: 'browser:owner' })
    world.clock.advance(300_000)
    const waiting = await startDevice(world)
    await sweep(world.open.platform)
    expect(await rowOf(lapsed.user_code)).toEqual({ status: 'expired', claim_code_hash: null })
    expect(await rowOf(waiting.user_code)).toMatchObject({ status: 'pending' })
    expect((await pollDevice(world, lapsed)).data).toEqual({ status: 'expired' })
    world.clock.advance(3_600_001)
    await sweep(world.open.platform)
    expect(await rowOf(lapsed.user_code)).toBeUndefined()
    expect((await pollDevice(world, lapsed)).code).toBe('not_found')
  })
})
