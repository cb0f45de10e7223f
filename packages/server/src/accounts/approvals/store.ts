// SQL of rules.
import type { Insertable, Selectable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type RuleRow = Selectable<Database['tool_rules']>

export const findRules = (db: Db, teamId: string, ownerIds: readonly string[]): Promise<RuleRow[]> =>
  db
    .selectFrom('tool_rules')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('owner_id', 'in', [...ownerIds])
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const insertRule = (db: Db, rule: Insertable<Database['tool_rules']>): Promise<RuleRow> =>
  db.insertInto('tool_rules').values(rule).returningAll().executeTakeFirstOrThrow()

export const findRule = (db: Db, teamId: string, ownerId: string, id: string): Promise<RuleRow | undefined> =>
  db
    .selectFrom('tool_rules')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('owner_id', '=', ownerId)
    .where(idMatches('id', id))
    .limit(1)
    .executeTakeFirst()

export const deleteRule = async (db: Db, teamId: string, id: string): Promise<void> => {
  await db.deleteFrom('tool_rules').where('team_id', '=', teamId).where('id', '=', id).execute()
}

export const deleteRulesOf = async (db: Db, ownerIds: readonly string[]): Promise<void> => {
  if (ownerIds.length > 0)
    await db
      .deleteFrom('tool_rules')
      .where('owner_id', 'in', [...ownerIds])
      .execute()
}

export const deleteAllowing = async (db: Db, teamId: string, ownerId: string): Promise<void> => {
  await db
    .deleteFrom('tool_rules')
    .where('team_id', '=', teamId)
    .where('owner_id', '=', ownerId)
    .where('effect', '=', 'allow')
    .execute()
}

export const moveRules = async (db: Db, teamId: string, ownerId: string, toTeamId: string): Promise<void> => {
  await db
    .updateTable('tool_rules')
    .set({ team_id: toTeamId })
    .where('team_id', '=', teamId)
    .where('owner_id', '=', ownerId)
    .execute()
}

export const countRules = async (db: Db, teamId: string, ownerId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('tool_rules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('team_id', '=', teamId)
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}
