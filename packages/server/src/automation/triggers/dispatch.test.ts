// Guarantees: a trigger acts as its owner, with no more permissions than any credential that created or narrowed it. A
// fire that cannot start a run is logged with the reason. A fire is dispatched once, by any server, also if the server
// that accepted it is down. A fire that cannot be dispatched does not block others.
import type { Trigger } from '@millrace/contract/triggers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { dispatchWaiting } from './dispatch.ts'
import { insertFires } from './fires-store.ts'
import { createTrigger, firesOf, givenApp, givenTrigger, sendHook, settle, tasksOf } from './testing/given.ts'
import { claimWaiting } from './waiting-fires-store.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const changeRow = (trigger: Trigger, values: object) =>
  world.open.platform.db.updateTable('triggers').set(values).where('id', '=', trigger.id).execute()

const outcome = async (trigger: Trigger) => {
  // The log is sorted by time.
  world.clock.advance(1)
  await sendHook(world, trigger, { n: 1 })
  const fire = (await firesOf(world, trigger)).at(-1)
  return fire?.status === 'error' ? `error: ${fire.error}` : fire?.status
}

describe('the permissions of a trigger', () => {
  it.each([
    ['a member’s sign-in', 'member', 'success'],
    ['a full key', 'key:', 'success'],
    ['a key with all required scopes', 'key:agents:write,apps:execute', 'success'],
    ['a workspace key', 'workspace-key:', 'success'],
    [
      'a key without the scope to run apps',
      'key:agents:write,apps:read',
      'error: The trigger was set up without the scope',
    ],
  ] as [string, As, string][])('are those of %s', async (_claim, as, expected) => {
    expect(await outcome(await givenTrigger(world, {}, as))).toContain(expected)
  })

  it.each([
    ['by an equal credential keeps the permissions', 'key:', 'success'],
    ['by a key with fewer scopes narrows the permissions', 'key:agents:write', 'missing scope: apps:execute'],
    ['by a key with the required scopes keeps the trigger working', 'key:agents:write,apps:execute', 'success'],
  ] as [string, As, string][])('after an edit %s', async (_claim, as, expected) => {
    const trigger = await givenTrigger(world)
    const edited = await world.call(as, `POST /triggers/${trigger.id}`, { body: { name: 'Edited' } })
    expect(edited.status).toBe(200)
    expect(await outcome(trigger)).toContain(expected)
    // A later edit with more scopes does not restore lost permissions.
    await world.call('owner', `POST /triggers/${trigger.id}`, { body: { name: 'Again' } })
    expect(await outcome(trigger)).toContain(expected)
  })

  it('do not depend on the caller who fires it', async () => {
    const trigger = await givenTrigger(world, { type: 'manual' }, 'key:agents:write')
    const answer = await world.call('owner', `POST /triggers/${trigger.id}/fire`)
    expect(answer).toMatchObject({ status: 500, code: 'fire_error', json: { meta: { reason: 'insufficient_scope' } } })
  })

  it('is recorded with the run', async () => {
    const trigger = await givenTrigger(world, {}, 'key:agents:write,apps:execute')
    await sendHook(world, trigger)
    await settle(world)
    const [task] = await tasksOf(world, trigger)
    expect(task).toMatchObject({
      run_as: { kind: 'listed', bearer: 'key', scopes: ['agents:write', 'apps:execute'] },
      user_id: world.people.owner.userId,
      metadata: { trigger_id: trigger.id, trigger_fire_id: expect.any(String) },
    })
  })
})

describe('the log has the reason if a run was not started', () => {
  it('the app was deleted', async () => {
    const trigger = await givenTrigger(world)
    await world.call('owner', `DELETE /apps/${trigger.app_id}`)
    expect(await outcome(trigger)).toBe('error: App not found')
  })

  it('the app is now private to its workspace', async () => {
    const app = await givenApp(world)
    const trigger = await createTrigger(world, 'member', {
      name: 'Borrowed',
      type: 'webhook',
      action: 'run_app',
      app_id: app.id,
    })
    await world.call('owner', `POST /apps/${app.id}/visibility`, { body: { visibility: 'private' } })
    expect(await outcome(trigger)).toBe('error: App not found')
  })

  it('the payload is not an object and there is no mapping', async () => {
    const trigger = await givenTrigger(world)
    await sendHook(world, trigger, '[1]')
    expect(await firesOf(world, trigger)).toMatchObject([{ status: 'error', error: expect.stringContaining('JSON') }])
  })

  it('the owner has left the workspace; works again with a new membership', async () => {
    const trigger = await givenTrigger(world, {}, 'member')
    const { member } = world.people
    await world.open.platform.db
      .deleteFrom('team_members')
      .where('user_id', '=', member.userId)
      .where('team_id', '=', world.team.id)
      .execute()
    expect(await outcome(trigger)).toContain('no longer a member')
    await addMember(world.ctx(), world.team.id, member.userId, 'member')
    expect(await outcome(trigger)).toBe('success')
  })

  it('the owner or the workspace is suspended', async () => {
    const trigger = await givenTrigger(world)
    const { db } = world.open.platform
    const setStatus = (status: 'active' | 'suspended') =>
      db.updateTable('teams').set({ status }).where('id', '=', world.team.id).execute()
    await setStatus('suspended')
    await sendHook(world, trigger)
    await settle(world)
    await setStatus('active')
    const ban = (at: Date | null) =>
      db.updateTable('users').set({ banned_at: at }).where('id', '=', world.people.owner.userId).execute()
    await ban(new Date())
    await sendHook(world, trigger)
    await settle(world)
    await ban(null)
    const errors = (await firesOf(world, trigger)).map(({ error }) => error)
    expect(errors).toEqual([expect.stringContaining('suspended'), expect.stringContaining('suspended')])
  })
})

it('a mapping produces the input of the run', async () => {
  const trigger = await givenTrigger(world, {
    input: { n: 1, fixed: true },
    input_mapping: {
      input: { n: { connection: { nodeId: 'trigger', key: 'issue.number', type: '' } }, who: 'by {{user.login}}' },
    },
  })
  await sendHook(world, trigger, { issue: { number: 42 }, user: { login: 'miller' } })
  await settle(world)
  expect(await tasksOf(world, trigger)).toMatchObject([{ input: { n: 42, fixed: true, who: 'by miller' } }])
})

const laterMs = 60_000

/** Fires that a server has accepted but not dispatched; `later` fires are not due yet. */
const accept = async (
  trigger: Trigger,
  payloads: readonly unknown[],
  { later = false, whole = null, team = world.team.id }: { later?: boolean; whole?: string | null; team?: string } = {},
): Promise<void> => {
  const at = new Date(world.clock.now().getTime() + (later ? laterMs : 0))
  await insertFires(
    world.open.platform.db,
    payloads.map((payload, index) => ({
      id: `${trigger.id.slice(0, 20)}${String(index).padStart(6, '0')}`,
      trigger_id: trigger.id,
      team_id: team,
      status: 'pending',
      kind: 'hook',
      payload: JSON.stringify(payload),
      whole_payload: whole,
      created_at: at.toISOString(),
    })),
  )
}

describe('a waiting fire', () => {
  const numbers = Array.from({ length: 500 }, (_, n) => ({ n }))

  it('is not shown before its dispatch has ended', async () => {
    const trigger = await givenTrigger(world)
    await accept(trigger, [{ n: 1 }], { later: true })
    const listed = await world.call('owner', 'POST /trigger-fires/list', {
      body: { filters: [{ field: 'trigger_id', operator: 'eq', value: trigger.id }] },
    })
    expect(listed.data.items).toEqual([])
    world.clock.advance(laterMs)
    expect(await firesOf(world, trigger)).toHaveLength(1)
  })

  it('is dispatched by another server if the accepting server is down', async () => {
    const trigger = await givenTrigger(world)
    await accept(trigger, numbers.slice(0, 3))
    expect(await firesOf(world, trigger)).toMatchObject([
      { status: 'success' },
      { status: 'success' },
      { status: 'success' },
    ])
  })

  it('is dispatched once by several dispatchers', async () => {
    const trigger = await givenTrigger(world)
    await accept(trigger, numbers)
    const ctx = world.ctx()
    await Promise.all(Array.from({ length: 4 }, () => dispatchWaiting(ctx)))
    const fires = await firesOf(world, trigger)
    expect(new Set(fires.map(({ status }) => status))).toEqual(new Set(['success']))
    const inputs = (await tasksOf(world, trigger)).map(({ input }) => (input as { n: number }).n)
    expect(inputs.sort((a, b) => a - b)).toEqual(numbers.map(({ n }) => n))
    const { data } = await world.call('owner', `GET /triggers/${trigger.id}`)
    expect(data.fire_count).toBe(numbers.length)
  })

  it('with large payloads is dispatched in batches that fit', async () => {
    const trigger = await givenTrigger(world)
    const whole = JSON.stringify({ text: 'x'.repeat(900_000) })
    await accept(trigger, numbers.slice(0, 25), { later: true, whole })
    const now = new Date(world.clock.now().getTime() + laterMs).toISOString()
    const claimed = (maxBytes: number) =>
      world.open.platform.db
        .transaction()
        .execute(async (db) => (await claimWaiting(db, { now, limit: 200, maxBytes })).length)
    expect([await claimed(100), await claimed(2_000_000), await claimed(16_000_000)]).toEqual([1, 2, 17])
    world.clock.advance(laterMs)
    expect(await firesOf(world, trigger)).toHaveLength(25)
    const lengths = (await tasksOf(world, trigger)).map(({ input }) => (input as { text: string }).text.length)
    expect(lengths).toEqual(numbers.slice(0, 25).map(() => 900_000))
  })

  it('is in the next batch, however many fires of another workspace wait', async () => {
    const flooded = await givenTrigger(world)
    const quiet = await givenTrigger(world)
    await changeRow(quiet, { team_id: world.otherTeam.id })
    await accept(flooded, numbers)
    world.clock.advance(1)
    await accept(quiet, [{ n: 1 }], { team: world.otherTeam.id })
    await dispatchWaiting(world.ctx())
    const { db } = world.open.platform
    const waiting = await db.selectFrom('trigger_fires').select('trigger_id').where('status', '=', 'pending').execute()
    expect(new Set(waiting.map(({ trigger_id }) => trigger_id))).toEqual(new Set([flooded.id]))
    await settle(world)
  })

  it('of a deleted trigger ends in the log', async () => {
    const trigger = await givenTrigger(world)
    await world.call('owner', `DELETE /triggers/${trigger.id}`)
    await accept(trigger, [{}])
    expect(await firesOf(world, trigger)).toMatchObject([
      { status: 'error', error: 'The trigger was deleted before its fire was dispatched' },
    ])
  })

  it('that cannot be dispatched does not block others, and ends in the log', async () => {
    const [good, bad] = [await givenTrigger(world), await givenTrigger(world)]
    await changeRow(bad, { run_as: 'null' })
    const { db } = world.open.platform
    await accept(bad, [{ n: 0 }])
    await accept(good, numbers.slice(0, 5))
    await dispatchWaiting(world.ctx())
    const waiting = () => db.selectFrom('trigger_fires').selectAll().where('status', '=', 'pending').execute()
    while ((await waiting()).length > 1) await dispatchWaiting(world.ctx())
    expect(await waiting()).toMatchObject([{ trigger_id: bad.id }])
    expect(await tasksOf(world, good)).toHaveLength(5)
    for (let turn = 0; turn < 20 && (await waiting()).length > 0; turn += 1) {
      world.clock.advance(3_600_000)
      await dispatchWaiting(world.ctx())
    }
    expect(await firesOf(world, bad)).toMatchObject([{ status: 'error', error: 'Something went wrong on the server' }])
    expect(await tasksOf(world, bad)).toEqual([])
  })
})
