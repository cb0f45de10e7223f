// Decides which rows an actor may see, as a predicate for lists and as a verdict for a single row. A row that is not
// visible is reported as not found.
import { type Visibility, visibilities } from '@millrace/contract/common'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, hasRole, isMember } from '../core/actor.ts'

export type OwnedRow = {
  team_id: string
  user_id: string
  visibility: string
  /** Organization of the owning workspace; select it with `teamOrg`. */
  team_org_id: string | null
}

/** Selects the organization of the owning workspace: `teamOrg('apps')`. */
export const teamOrg = (table: string) =>
  sql<string | null>`(select org_id from teams where teams.id = ${sql.ref(`${table}.team_id`)})`.as('team_org_id')

/** The visibility of a new row that is created without one, chosen by its workspace. */
export const defaultVisibility = (teamId: string): RawBuilder<'private' | 'team'> =>
  sql`(select default_visibility from teams where teams.id = ${teamId})`

export type ListReach = {
  /** Includes public rows of other workspaces and rows shared with the organization. */
  includeOthers: boolean
  /** Includes private rows of other members. The caller has checked the role and writes the audit row. */
  includePrivate: boolean
}

/** The rows of `table` that a list shows to the actor. */
export const listedFor = (actor: Actor, table: string, reach: ListReach): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  if (!isMember(actor)) return sql`${column('visibility')} = 'public'`
  const own = reach.includePrivate
    ? sql<SqlBool>`${column('team_id')} = ${actor.teamId}`
    : sql<SqlBool>`${column('team_id')} = ${actor.teamId} and (${column('visibility')} <> 'private' or ${column('user_id')} = ${actor.userId})`
  if (!reach.includeOthers) return sql`(${own})`
  const org =
    actor.orgId === null
      ? sql<SqlBool>`false`
      : sql<SqlBool>`${column('visibility')} = 'org' and ${column('team_id')} in (select id from teams where org_id = ${actor.orgId})`
  return sql`((${own}) or ${column('visibility')} = 'public' or (${org}))`
}

/**
 * yes: permitted · bypass: permitted only because the actor administers the workspace or its organization, which is
 * audited · no: report the row as not found.
 */
export type AccessVerdict = 'yes' | 'bypass' | 'no'

export const mayRead = (actor: Actor, row: OwnedRow): AccessVerdict => {
  const visibility = row.visibility as Visibility
  if (visibility === 'public' || visibility === 'unlisted') return 'yes'
  if (!isMember(actor)) return 'no'
  const sameOrg = actor.orgId !== null && actor.orgId === row.team_org_id
  if (visibility === 'org' && sameOrg) return 'yes'
  if (actor.teamId === row.team_id) {
    if (visibility !== 'private' || row.user_id === actor.userId) return 'yes'
    return hasRole(actor, 'admin') || (sameOrg && actor.orgAdmin) ? 'bypass' : 'no'
  }
  return sameOrg && actor.orgAdmin ? 'bypass' : 'no'
}

/** `mayRead(actor, row) === 'yes'` as a predicate, without the bypass of administrators. */
export const readableBy = (actor: Actor, table: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const open = sql<SqlBool>`${column('visibility')} in ('public', 'unlisted')`
  if (!isMember(actor)) return open
  return sql`(${open} or ${listedFor(actor, table, { includeOthers: true, includePrivate: false })})`
}

/** Requires membership of the owning workspace; private rows of other members only through the bypass. */
export const mayWrite = (actor: Actor, row: OwnedRow): AccessVerdict => {
  if (!isMember(actor)) return 'no'
  if (actor.teamId !== row.team_id)
    return actor.orgAdmin && actor.orgId !== null && actor.orgId === row.team_org_id ? 'bypass' : 'no'
  return mayRead(actor, { ...row, visibility: row.visibility === 'private' ? 'private' : 'team' })
}

/** Running never uses the bypass. */
export const mayRun = (actor: Actor, row: OwnedRow): boolean => mayRead(actor, row) === 'yes'

/** All wider visibilities; the list is ordered from narrow to wide. */
export const widerThan = (visibility: string): readonly string[] =>
  visibilities.slice((visibilities as readonly string[]).indexOf(visibility) + 1)

export const narrows = (from: string, to: string): boolean => widerThan(to).includes(from)
