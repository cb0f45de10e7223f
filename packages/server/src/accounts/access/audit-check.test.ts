// Guarantees: an admin can verify the whole audit log; only the workspace that owns a faulty row learns its id;
// verification changes nothing.
import { sql } from 'kysely'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'

/** The newest row of a workspace, edited by hand in the database. */
const tamper = async (world: World, teamId: string): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    update audit_log set action = action || '!'
    where id = (select id from audit_log where team_id = ${teamId} order by seq desc limit 1)
    returning id`.execute(world.open.platform.db)
  return rows[0]?.id ?? ''
}

const mend = (world: World, id: string) =>
  sql`update audit_log set action = trim(trailing '!' from action) where id = ${id}`.execute(world.open.platform.db)

const verifyTampered = async (world: World, teamId: string, broken: { id: string }) => {
  broken.id = await tamper(world, teamId)
  const answer = await world.call('admin', 'POST /audit-log/verify')
  await mend(world, broken.id)
  return answer
}

scenarios('audit.verify', () => ({ id: '' }), [
  {
    claim: 'a log as it was written is whole; the rows are counted of the own workspace only',
    as: 'admin',
    status: 200,
    check: async ({ data }, _given, world) => {
      const own = await world.call('admin', 'GET /audit-log')
      expect(data).toEqual({ ok: true, rows: own.data.total_items, checked_at: expect.any(String) })
      expect(data.rows).toBeGreaterThan(0)
    },
  },
  {
    claim: 'asked for many times at once, every caller is answered',
    as: 'owner',
    act: async (world) => {
      const [first, ...others] = await Promise.all(
        Array.from({ length: 5 }, () => world.call('owner', 'POST /audit-log/verify')),
      )
      if (!first) throw new Error('No answer')
      expect(others.map(({ status, data }) => [status, data.ok])).toEqual(Array(4).fill([200, true]))
      return first
    },
    status: 200,
  },
  {
    claim: 'an edited row of the own workspace is named',
    as: 'admin',
    act: (world, broken) => verifyTampered(world, world.team.id, broken),
    status: 200,
    check: ({ data }, { id }) => expect(data).toMatchObject({ ok: false, reason: 'edited', entry_id: id }),
  },
  {
    claim: 'an edited row of another workspace breaks the chain, but is not named',
    as: 'admin',
    act: async (world, broken) => {
      await world.call('stranger', 'POST /apikeys', { body: { name: 'theirs' } })
      return verifyTampered(world, world.otherTeam.id, broken)
    },
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ ok: false, reason: 'edited' })
      expect(data).not.toHaveProperty('entry_id')
    },
  },
  { claim: 'another workspace’s admin learns the same of the one chain', as: 'stranger', status: 200 },
  { claim: 'an admin’s key with the scope', as: 'admin-key:teams:read', status: 200 },
  { claim: 'a plain member', as: 'member', status: 403, code: 'team_role_required' },
])
