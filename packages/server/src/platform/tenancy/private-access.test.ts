// Guarantees: administrators can access private rows exactly within their workspace or organization, never run them,
// and every access is audited.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actorOf } from '#execution/apps/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { guest, type Member } from '../core/actor.ts'
import { assertMayWiden, assertReadable, assertRunnable, assertWritable, listReach } from './private-access.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const row = (visibility: string, person: 'owner' | 'member' = 'member') => ({
  id: 'row',
  team_id: world.team.id,
  user_id: world.people[person].userId,
  visibility,
  team_org_id: 'org',
})

type Caller = 'owner' | 'admin' | 'member' | 'maker' | 'stranger' | 'org member' | 'org admin' | 'guest'

const actor = (who: Caller) => {
  if (who === 'guest') return guest
  if (who === 'maker') return actorOf(world, 'member')
  if (who === 'member') return { ...actorOf(world, 'member'), userId: 'another' }
  if (who === 'owner' || who === 'admin' || who === 'stranger') return actorOf(world, who)
  return { ...actorOf(world, 'stranger'), orgId: 'org', orgAdmin: who === 'org admin' }
}

type Check = (who: Caller, visibility: string) => Promise<unknown>

/** `yes`, `audited`, or the code of the refusal. */
const verdict = async (check: Check, who: Caller, visibility: string): Promise<string> => {
  const before = (await world.audits()).length
  try {
    await check(who, visibility)
  } catch (error) {
    return (error as { code: string }).code
  }
  const added = (await world.audits()).slice(before)
  expect(added.every((action) => action === 'team_admin.permission_bypass')).toBe(true)
  return added.length > 0 ? 'audited' : 'yes'
}

const read: Check = (who, visibility) => assertReadable(world.ctx().as(actor(who)), row(visibility), 'thing')
const write: Check = (who, visibility) => assertWritable(world.ctx().as(actor(who)), row(visibility), 'thing')
const run: Check = async (who, visibility) => assertRunnable(world.ctx().as(actor(who)), row(visibility), 'thing')

describe('a row', () => {
  it.each<[string, Caller, string, string, string]>([
    // visibility, who, read, write, run
    ['private', 'maker', 'yes', 'yes', 'yes'],
    ['private', 'member', 'not_found', 'not_found', 'not_found'],
    ['private', 'admin', 'audited', 'audited', 'not_found'],
    ['private', 'owner', 'audited', 'audited', 'not_found'],
    ['private', 'org admin', 'audited', 'audited', 'not_found'],
    ['private', 'org member', 'not_found', 'not_found', 'not_found'],
    ['private', 'stranger', 'not_found', 'not_found', 'not_found'],
    ['private', 'guest', 'not_found', 'not_found', 'not_found'],
    ['team', 'member', 'yes', 'yes', 'yes'],
    ['team', 'admin', 'yes', 'yes', 'yes'],
    ['team', 'org admin', 'audited', 'audited', 'not_found'],
    ['team', 'org member', 'not_found', 'not_found', 'not_found'],
    ['team', 'stranger', 'not_found', 'not_found', 'not_found'],
    ['org', 'org member', 'yes', 'forbidden', 'yes'],
    ['org', 'org admin', 'yes', 'audited', 'yes'],
    ['org', 'stranger', 'not_found', 'not_found', 'not_found'],
    ['unlisted', 'stranger', 'yes', 'forbidden', 'yes'],
    ['public', 'member', 'yes', 'yes', 'yes'],
    ['public', 'stranger', 'yes', 'forbidden', 'yes'],
    ['public', 'guest', 'yes', 'forbidden', 'yes'],
  ])('%s, seen by %s: read %s, write %s, run %s', async (visibility, who, ...expected) => {
    const verdicts = [
      await verdict(read, who, visibility),
      await verdict(write, who, visibility),
      await verdict(run, who, visibility),
    ]
    expect(verdicts).toEqual(expected)
  })

  it('that does not exist', async () => {
    const ctx = world.ctx()
    await expect(assertReadable(ctx, undefined, 'thing')).rejects.toMatchObject({ message: 'Thing not found' })
    await expect(assertWritable(ctx, undefined, 'thing')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('publishing a row', () => {
  it.each<[Caller, string, boolean]>([
    ['maker', 'public', true],
    ['admin', 'public', true],
    ['owner', 'unlisted', true],
    ['org admin', 'public', true],
    ['member', 'public', false],
    ['member', 'unlisted', false],
    ['member', 'team', true],
    ['member', 'private', true],
  ])('%s, %s: %s', (who, visibility, allowed) => {
    const widen = () => assertMayWiden(world.ctx().as(actor(who) as Member), row('team'), visibility)
    if (allowed) expect(widen).not.toThrow()
    else expect(widen).toThrow(/Only the owner or a workspace admin/)
  })
})

describe('include_private', () => {
  it.each<[Caller, boolean]>([
    ['owner', true],
    ['admin', true],
    ['member', false],
    ['guest', false],
  ])('of %s: %s', async (who, counts) => {
    const before = (await world.audits()).length
    const reach = await listReach(world.ctx().as(actor(who)), { include_private: true }, 'thing')
    expect(reach).toEqual({ includeOthers: false, includePrivate: counts })
    expect((await world.audits()).slice(before)).toEqual(counts ? ['team_admin.list_private'] : [])
  })
})
