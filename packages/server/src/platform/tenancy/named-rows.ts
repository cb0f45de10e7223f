// Shared rules of resources with a name in a namespace: taken names, and transfer to another workspace. A transferred
// resource keeps its id, name and versions and gets the namespace of the new workspace.
import { sql } from 'kysely'
import { isTeamAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Db } from '../db/database.ts'
import { isDuplicate } from '../db/violations.ts'
import { findTeam, findTeamOfMember, type TeamRef } from './team-refs.ts'

/** The workspace of the caller, whose username is the namespace of what the caller creates. */
export const getOwnTeam = async ({ db, actor }: Ctx): Promise<TeamRef> => {
  const team = await findTeam(db, actor.teamId)
  if (!team) throw fail('not_found', 'Workspace not found')
  return team
}

/** Noun of each table in messages. */
const words = { agents: 'an agent', apps: 'an app', artifacts: 'an artifact', flows: 'a flow', knowledge: 'an entry' }
export type NamedTable = keyof typeof words

export type TeamMove = { teamId: string; namespace: string; movedBy: string; now: string }

/** The owner stays the same if they are a member of the new workspace; otherwise the caller becomes the owner. */
export const movedColumns = (table: NamedTable, to: TeamMove) => {
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
  /** Throws if the new workspace has no capacity for it. */
  assertRoom?: (target: TeamRef) => Promise<void>
  move: (to: TeamMove) => Promise<void>
}

/** Returns the new workspace, or null if it already owns the resource. */
export const transferTo = async (
  ctx: Ctx,
  table: NamedTable,
  { row, teamId, assertRoom, move }: Transfer,
): Promise<TeamRef | null> => {
  const what = words[table]
  const [, kind] = what.split(' ')
  // An organization administrator can access the resource from another workspace, but is not its admin.
  if (!isTeamAdmin(ctx.actor) || ctx.actor.teamId !== row.team_id)
    throw fail('team_role_required', `Only an admin of the owning workspace can transfer ${what}`)
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

/** Returns those of the names that are taken. */
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
