// Applies the verdicts of visibility.ts: throws a refusal, or writes the audit row when an administrator accesses a
// private row of a member.
import type { ListRequest } from '@millrace/contract/common'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Actor, hasRole, isMember, isTeamAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail, notFound } from '../core/errors.ts'
import { recordAudit } from './audit.ts'
import {
  type AccessVerdict,
  type ListReach,
  listedFor,
  mayRead,
  mayRun,
  mayWrite,
  type OwnedRow,
} from './visibility.ts'

/** A row with its owner; `teamOrg('apps')` selects `team_org_id`. */
export type Owned = OwnedRow & { id: string }

/** Returns the row if the caller may read it, otherwise throws `not_found`. `resource` as in "App not found". */
export const assertReadable = async <R extends Owned>(
  ctx: Ctx<Actor>,
  row: R | undefined,
  resource: string,
): Promise<R> => {
  const verdict = row ? mayRead(ctx.actor, row) : 'no'
  if (!row || verdict === 'no') throw notFound(resource)
  if (verdict === 'bypass') await auditBypass(ctx, row, resource, 'read')
  return row
}

/**
 * Checks again and again whether the reader of a stream may still read a row. Access through the bypass is audited
 * once.
 */
export const followerOf = (ctx: Ctx<Actor>, resource: string) => {
  let before: AccessVerdict = 'bypass'
  return async (row: Owned): Promise<void> => {
    const verdict = mayRead(ctx.actor, row)
    if (verdict === 'no' || (verdict === 'bypass' && before === 'yes')) await assertReadable(ctx, row, resource)
    before = verdict
  }
}

/** `not_found` if the caller cannot read the row, `forbidden` if it cannot write it. */
export const assertWritable = async <R extends Owned>(
  ctx: Ctx<Actor>,
  row: R | undefined,
  resource: string,
): Promise<R> => {
  if (!row || mayRead(ctx.actor, row) === 'no') throw notFound(resource)
  const verdict = mayWrite(ctx.actor, row)
  if (verdict === 'no') throw fail('forbidden', `You have no write access to this ${resource.replaceAll('_', ' ')}`)
  if (verdict === 'bypass') await auditBypass(ctx, row, resource, 'write')
  return row
}

/**
 * For the row that has the name to publish under: if it is another member's private row, the name is taken, without
 * further information.
 */
export const assertPublishable = async <R extends Owned & { namespace: string; name: string }>(
  ctx: Ctx<Actor>,
  row: R,
  resource: string,
): Promise<R> => {
  if (mayWrite(ctx.actor, row) === 'no') throw fail('name_conflict', `The ref ${row.namespace}/${row.name} is taken`)
  return assertWritable(ctx, row, resource)
}

/** Running never uses the bypass. */
export const assertRunnable = <R extends OwnedRow>(ctx: Ctx<Actor>, row: R | undefined, resource: string): R => {
  if (!row || !mayRun(ctx.actor, row)) throw notFound(resource)
  return row
}

/** Only its owner and administrators of the workspace can widen the visibility of a row. */
export const assertMayWiden = (ctx: Ctx, row: OwnedRow, visibility: string): void => {
  const open = visibility === 'public' || visibility === 'unlisted'
  if (!open || row.visibility === visibility) return
  if (row.user_id !== ctx.actor.userId && !isTeamAdmin(ctx.actor) && !ctx.actor.orgAdmin)
    throw fail('team_role_required', `Only the owner or a workspace admin can make a resource ${visibility}`)
}

/** Which rows a list includes. `include_private` is for owners and admins, ignored for others, and audited. */
export const listReach = async (ctx: Ctx<Actor>, request: ListRequest, resource: string): Promise<ListReach> => {
  const includePrivate = request.include_private === true && hasRole(ctx.actor, 'admin')
  if (includePrivate) await recordAudit(ctx, 'team_admin.list_private', { resourceType: resource, resourceId: '' })
  return { includeOthers: request.include_others === true, includePrivate }
}

/** `listedFor`, restricted by the request's `permissions` to rows with `read`, `write` or `use` access. */
export const listedWith = (
  actor: Actor,
  table: string,
  reach: ListReach,
  permissions: readonly string[] | undefined,
): RawBuilder<SqlBool> => {
  const listed = listedFor(actor, table, reach)
  if (!permissions?.length || permissions.includes('read')) return listed
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const alternatives: RawBuilder<SqlBool>[] = []
  if (permissions.includes('write') && isMember(actor)) alternatives.push(sql`${column('team_id')} = ${actor.teamId}`)
  if (permissions.includes('use'))
    alternatives.push(
      isMember(actor)
        ? sql`(${column('visibility')} <> 'private' or ${column('user_id')} = ${actor.userId})`
        : sql`${column('visibility')} = 'public'`,
    )
  return alternatives.length === 0 ? sql`false` : sql`(${listed} and (${sql.join(alternatives, sql` or `)}))`
}

const auditBypass = (ctx: Ctx<Actor>, row: Owned, resource: string, access: 'read' | 'write') =>
  recordAudit(ctx, 'team_admin.permission_bypass', {
    resourceType: resource,
    resourceId: row.id,
    teamId: row.team_id,
    meta: { access },
  })
