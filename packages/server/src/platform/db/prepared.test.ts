// Guarantees: a prepared query binds the values of each call at the right positions, beside constants.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { prepared } from './prepared.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('binds the values of each call at any position', async () => {
  const findMembers = prepared((db, teamId: string, role: string) =>
    db
      .selectFrom('team_members')
      .innerJoin('users', 'users.id', 'team_members.user_id')
      .select(['users.email'])
      .where('users.deleted_at', 'is', null)
      .where('users.role', '=', 'user')
      .where('team_members.role', '=', role as 'owner')
      .where('team_members.team_id', '=', teamId),
  )
  const { db } = world.open.platform
  expect(await findMembers(db, world.team.id, 'owner')).toEqual([{ email: 'owner@example.com' }])
  expect(await findMembers(db, world.team.id, 'admin')).toEqual([{ email: 'admin@example.com' }])
  expect(await findMembers(db, world.otherTeam.id, 'owner')).toEqual([{ email: 'stranger@example.com' }])
  const inTransaction = db.transaction().execute(async (trx) => {
    await trx.updateTable('team_members').set({ role: 'member' }).where('team_id', '=', world.team.id).execute()
    expect(await findMembers(trx, world.team.id, 'owner')).toEqual([])
    throw new Error('undone')
  })
  await expect(inTransaction).rejects.toThrow('undone')
  expect(await findMembers(db, world.team.id, 'owner')).toHaveLength(1)
})
