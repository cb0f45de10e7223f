// Writes the audit log: one row per event, inside the transaction that made it true.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'

export type AuditEntry = {
  resourceType: string
  resourceId: string
  meta?: Record<string, unknown>
  /** The workspace it happened in; the actor's when left out. */
  teamId?: string
}

/** The newest row of the chain. */
export const findAuditHead = (db: Db) => db.selectFrom('audit_head').select(['seq', 'hash']).limit(1).executeTakeFirst()

/** Never put a secret in `meta`: the log is read by every admin of the workspace. */
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
