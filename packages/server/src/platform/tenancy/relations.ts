// The short form of owners that lists embed for `preloads`.
import type { TeamRelation, UserRelation } from '@millrace/contract/common'
import type { Static } from 'typebox'
import type { Db } from '../db/database.ts'

type User = Static<typeof UserRelation>
type Team = Static<typeof TeamRelation>

const usersByIds = (db: Db, ids: readonly string[]): Promise<User[]> =>
  db
    .selectFrom('users')
    .select(['id', 'created_at', 'updated_at', 'role', 'avatar_url'])
    .where('id', 'in', [...ids])
    .execute()

const teamsByIds = (db: Db, ids: readonly string[]): Promise<Team[]> =>
  db
    .selectFrom('teams')
    .select(['id', 'created_at', 'updated_at', 'type', 'username', 'avatar_url', 'setup_completed'])
    .where('id', 'in', [...ids])
    .execute()

export type OwnedItem = { user_id?: string; team_id?: string; user?: User | null; team?: Team | null }

/** Adds `user` and `team` to the items if `preloads` contains them, with one query each. */
export const embedOwners = async (
  db: Db,
  rows: readonly { user_id: string; team_id: string }[],
  items: readonly OwnedItem[],
  preloads: readonly string[] | undefined,
): Promise<void> => {
  if (rows.length === 0 || !preloads?.length) return
  const idsOf = (name: 'user_id' | 'team_id') => [...new Set(rows.map((row) => row[name]))]
  const users = new Map(
    preloads.includes('user') ? (await usersByIds(db, idsOf('user_id'))).map((user) => [user.id, user]) : [],
  )
  const teams = new Map(
    preloads.includes('team') ? (await teamsByIds(db, idsOf('team_id'))).map((team) => [team.id, team]) : [],
  )
  for (const [index, item] of items.entries()) {
    const row = rows[index]
    if (!row) continue
    if ('user' in item) item.user = users.get(row.user_id) ?? null
    if ('team' in item) item.team = teams.get(row.team_id) ?? null
  }
}
