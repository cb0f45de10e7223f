// Which rows of the index a caller may find, as a predicate inside the query: a row that may not be found takes no part in
// it, neither in results nor in ranks.
import { holds } from '@millrace/contract/scopes'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, isMember } from '../core/actor.ts'
import { searchKinds } from './kinds.ts'

const everyones = sql<SqlBool>`d.visibility = 'public' and d.listed`

/** For a query whose documents are called `d`. An administrator finds no more than any other member. */
export const findableBy = (actor: Actor): RawBuilder<SqlBool> => {
  if (!isMember(actor)) return sql`(${everyones})`
  const kinds = searchKinds.filter(({ readScope }) => readScope !== null && holds(actor.grant, readScope, actor))
  if (kinds.length === 0) return sql`(${everyones})`
  const { teamId, userId, orgId } = actor
  const team = sql<SqlBool>`d.team_id = ${teamId} and (d.visibility <> 'private' or d.user_id = ${userId})`
  const org =
    orgId === null
      ? sql<SqlBool>`false`
      : sql<SqlBool>`d.visibility = 'org' and d.team_id in (select id from teams where org_id = ${orgId})`
  return sql`((${everyones}) or (d.kind = any(${sql.val(kinds.map(({ kind }) => kind))}::text[]) and ((${team}) or (${org}))))`
}
