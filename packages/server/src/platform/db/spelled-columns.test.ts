// Guarantees: a statement that was prepared before a newer version added a column still works on the same connection
// and returns the same result.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import type { Db } from './database.ts'
import { columnsOf } from './spelled-columns.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const statements: Record<string, (db: Db, teamId: string) => Promise<object[]>> = {
  'all of a table': (db, id) => db.selectFrom('teams').selectAll().where('id', '=', id).execute(),
  'all of one of two tables, by another name': (db, id) =>
    db
      .selectFrom('team_members as m')
      .innerJoin('teams as t', 't.id', 'm.team_id')
      .selectAll('t')
      .where('t.id', '=', id)
      .where('m.role', '=', 'owner')
      .execute(),
  'all of both': (db, id) =>
    db
      .selectFrom('teams')
      .innerJoin('team_members', 'team_members.team_id', 'teams.id')
      .selectAll()
      .where('teams.id', '=', id)
      .where('team_members.role', '=', 'owner')
      .execute(),
  'all that was changed': (db, id) =>
    db.updateTable('teams').set({ name: 'changed' }).where('id', '=', id).returningAll().execute(),
  'all that was made, and deleted': async (db, id) => {
    const row = { id: newId(), team_id: id, user_id: world.people.owner.userId, name: 'made' }
    const made = await db.insertInto('vaults').values(row).returningAll().execute()
    const gone = await db.deleteFrom('vaults').where('id', '=', row.id).returningAll().execute()
    return [...made, ...gone].map((one) => Object.keys(one))
  },
  'a statement written as SQL': async (db, id) =>
    (await sql<object>`select ${columnsOf('teams', 't')} from teams t where t.id = ${id}`.execute(db)).rows,
}

it.each(Object.entries(statements))('%s', async (_name, run) => {
  const { db } = world.open.platform
  await db.connection().execute(async (db) => {
    const before = await run(db, world.team.id)
    expect(before).not.toEqual([])
    for (const table of ['teams', 'team_members', 'vaults'])
      await sql`alter table ${sql.ref(table)} add column next_note text default 'new'`.execute(db)
    const after = await run(db, world.team.id)
    for (const table of ['teams', 'team_members', 'vaults'])
      await sql`alter table ${sql.ref(table)} drop column next_note`.execute(db)
    expect(after).toEqual(before)
  })
})
