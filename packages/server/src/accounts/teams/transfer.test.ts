// Guarantees: an engine is transferred only between workspaces that the caller administers.
import { grantOfSession } from '@millrace/contract/scopes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Member } from '#platform/core/actor.ts'
import { createWorld, type PersonName, type World } from '../../testing/world.ts'
import { requireTransfer } from './service.ts'

type Case = {
  claim: string
  who: PersonName
  from: 'mill' | 'other' | 'personal'
  to: 'mill' | 'other' | 'personal'
  code?: string
}

const cases: Case[] = [
  { claim: 'an owner, into their personal workspace', who: 'owner', from: 'mill', to: 'personal' },
  { claim: 'an admin', who: 'admin', from: 'mill', to: 'personal' },
  {
    claim: 'out of the personal workspace, as a plain member of the other',
    who: 'member',
    from: 'personal',
    to: 'mill',
    code: 'team_role_required',
  },
  { claim: 'out of the personal workspace, as an admin of the other', who: 'admin', from: 'personal', to: 'mill' },
  { claim: 'a plain member of the source', who: 'member', from: 'mill', to: 'personal', code: 'team_role_required' },
  { claim: 'into a foreign workspace', who: 'owner', from: 'mill', to: 'other', code: 'not_found' },
  { claim: 'out of a foreign workspace', who: 'owner', from: 'other', to: 'mill', code: 'not_found' },
]

describe('requireTransfer', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  const actorOf = (who: PersonName, kind: 'session' | 'key'): Member => ({
    kind,
    credentialId: 'test',
    userId: world.people[who].userId,
    teamId: world.team.id,
    role: 'member',
    isPerson: true,
    personalTeam: false,
    orgId: null,
    orgAdmin: false,
    grant: grantOfSession(null),
    platform: 'not_staff',
    inPlatformTeam: false,
    expiresAtMs: null,
  })

  const run = async ({ who, from, to }: Case, kind: 'session' | 'key') => {
    const ids = { mill: world.team.id, other: world.otherTeam.id, personal: world.people[who].personalTeamId }
    const outcome = await requireTransfer(world.ctx().as(actorOf(who, kind)), ids[from], ids[to]).then(
      (team) => ({ id: team.id }),
      (error: { code: string }) => ({ code: error.code }),
    )
    return { outcome, expected: ids[to] }
  }

  it.each(cases)('$claim', async (one) => {
    const { outcome, expected } = await run(one, 'session')
    expect(outcome).toEqual(one.code === undefined ? { id: expected } : { code: one.code })
  })

  it('a key is pinned: it moves nothing out of its workspace', async () => {
    const { outcome } = await run({ claim: '', who: 'owner', from: 'mill', to: 'personal' }, 'key')
    expect(outcome).toEqual({ code: 'not_found' })
  })
})
