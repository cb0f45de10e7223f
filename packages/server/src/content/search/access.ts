// Which documents of the index a caller may find, as an SQL predicate and as the audiences to search in memory.
// Documents that a caller may not find affect neither results nor ranks.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, isMember } from '#platform/core/actor.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { searchKinds } from './kinds.ts'
import type { Audiences } from './memory/nearest-table.ts'

const everyones = sql<SqlBool>`d.visibility = 'public' and d.listed`

/**
 * Kinds of which the caller may find more than public documents. An administrator finds no more than any other member.
 */
const ownKinds = (actor: Actor): string[] =>
  isMember(actor)
    ? searchKinds.filter(({ readScope }) => readScope !== null && hasScope(actor, readScope)).map(({ kind }) => kind)
    : []

/** The caller, as the predicate needs it; for a caller without membership, nulls and no kinds. */
export type SearchCaller = {
  kinds: readonly string[]
  teamId: string | null
  userId: string | null
  orgId: string | null
}

export const callerOf = (actor: Actor): SearchCaller => {
  const { teamId, userId, orgId } = isMember(actor) ? actor : { teamId: null, userId: null, orgId: null }
  return { kinds: ownKinds(actor), teamId, userId, orgId }
}

/**
 * For a query whose documents have the alias `d`. The SQL text is the same for all callers, so that one prepared
 * statement serves them.
 */
export const findableBy = ({ kinds, teamId, userId, orgId }: SearchCaller): RawBuilder<SqlBool> => {
  const team = sql<SqlBool>`d.team_id = ${teamId}::text and (d.visibility <> 'private' or d.user_id = ${userId}::text)`
  const org = sql<SqlBool>`d.visibility = 'org' and d.team_id in (select id from teams where org_id = ${orgId}::text)`
  return sql`((${everyones}) or (d.kind = any(${sql.val(kinds)}::text[]) and ((${team}) or (${org}))))`
}

type Owned = { team_id: string; user_id: string; visibility: string; listed: boolean }

const everyone = 'everyone'
const teamsOwn = (teamId: string): string => `team ${teamId}`
const orgs = (teamId: string): string => `org ${teamId}`
const personsOwn = (teamId: string, userId: string): string => `person ${teamId} ${userId}`

/** The same rule for one document: a caller who may find one document of an audience and kind may find all of them. */
export const audienceOf = ({ team_id, user_id, visibility, listed }: Owned): string => {
  if (visibility === 'public' && listed) return everyone
  if (visibility === 'private') return personsOwn(team_id, user_id)
  return visibility === 'org' ? orgs(team_id) : teamsOwn(team_id)
}

/** `orgTeams`: the workspaces of the caller's organization. */
export const audiencesFor = (actor: Actor, kinds: readonly string[], orgTeams: readonly string[]): Audiences => {
  const own = new Set(ownKinds(actor))
  const members = isMember(actor)
    ? [
        teamsOwn(actor.teamId),
        personsOwn(actor.teamId, actor.userId),
        ...new Set([actor.teamId, ...orgTeams].map(orgs)),
      ]
    : []
  return new Map(kinds.map((kind) => [kind, own.has(kind) ? [everyone, ...members] : [everyone]]))
}
