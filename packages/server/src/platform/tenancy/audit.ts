// Writes audit rows, in the transaction of the event.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'

export type AuditEntry = {
  resourceType: string
  resourceId: string
  meta?: Record<string, unknown>
  /** The workspace of the event; the actor's if omitted. */
  teamId?: string
}

/** The newest row of the audit chain. */
export const findAuditHead = (db: Db) => db.selectFrom('audit_head').select(['seq', 'hash']).limit(1).executeTakeFirst()

/** `meta` must never contain secrets, because every admin of the workspace can read the log. */
export const recordAudit = async (ctx: Ctx<Actor>, action: string, entry: AuditEntry): Promise<void> => {
  const { actor, origin } = ctx
  const who = isMember(actor)
    ? { teamId: actor.teamId, userId: actor.userId, kind: actor.kind, id: actor.credentialId }
    : { teamId: '', userId: '', kind: 'system', id: '' }
  await sql`select audit_append(
    ${newId()}, ${ctx.now().toISOString()}::timestamptz, ${entry.teamId ?? who.teamId}, ${who.userId}, ${who.kind}, ${who.id},
    ${action}, ${entry.resourceType}, ${entry.resourceId}, ${JSON.stringify(entry.meta ?? {})}::jsonb,
    ${origin.ip}, ${origin.userAgent})`.execute(ctx.db)
}
