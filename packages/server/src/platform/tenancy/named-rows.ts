// What things with a name in a namespace have in common: which names are taken, and how one is given to another workspace.
// It keeps its id, name and versions; its namespace becomes the new workspace's.
import { sql } from 'kysely'
import { isTeamAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Db } from '../db/database.ts'
import { isDuplicate } from '../db/violations.ts'
import { findTeamOfMember, type TeamRef } from './team-refs.ts'

/** What each is called in a sentence. */
const words = { agents: 'an agent', apps: 'an app', artifacts: 'an artifact', flows: 'a flow', knowledge: 'an entry' }
export type NamedTable = keyof typeof words

export type Move = { teamId: string; namespace: string; movedBy: string; now: string }

/** The creator stays the owner where they are a member of the new workspace too; otherwise whoever moves it becomes it. */
export const movedColumns = (table: NamedTable, to: Move) => {
  const owner = sql.ref<string>(`${table}.user_id`)
  return {
    team_id: to.teamId,
    namespace: to.namespace,
    updated_at: to.now,
    user_id: sql<string>`case when exists (
      select from team_members where team_id = ${to.teamId} and user_id = ${owner}) then ${owner} else ${to.movedBy} end`,
  }
}

export type Transfer = {
  row: { team_id: string; name: string }
  teamId: string
  /** Refuses where the new workspace cannot hold it. */
  assertRoom?: (target: TeamRef) => Promise<void>
  move: (to: Move) => Promise<void>
}

/** The new workspace; null when it is the old one, and nothing was done. */
export const transferTo = async (
  ctx: Ctx,
  table: NamedTable,
  { row, teamId, assertRoom, move }: Transfer,
): Promise<TeamRef | null> => {
  const what = words[table]
  const [, kind] = what.split(' ')
  // An organization's administrator may reach it from another workspace, but is no admin of this one.
  if (!isTeamAdmin(ctx.actor) || ctx.actor.teamId !== row.team_id)
    throw fail('team_role_required', `Only an admin of its workspace gives ${what} away`)
  const target = await findTeamOfMember(ctx.db, teamId, ctx.actor.userId)
  if (!target) throw fail('forbidden', `You are not a member of the workspace that should own the ${kind}`)
  if (target.id === row.team_id) return null
  await assertRoom?.(target)
  const now = ctx.now().toISOString()
  await move({ teamId: target.id, namespace: target.username, movedBy: ctx.actor.userId, now }).catch(
    (error: unknown) => {
      throw isDuplicate(error, `${table}_ref`)
        ? fail('name_conflict', `Another ${kind} is named ${target.username}/${row.name}`)
        : error
    },
  )
  return target
}

/** Which of these names something has already. */
export const takenNames = async (
  db: Db,
  table: Exclude<NamedTable, 'flows'>,
  namespace: string,
  names: readonly string[],
): Promise<Set<string>> => {
  const { rows } = await sql<{ name: string }>`
    select name from ${sql.table(table)} where namespace = ${namespace} and name = any(${[...names]}) and deleted_at is null`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}
