// The audit log for workspace admins: reading and verification.
import type { AuditCheck, AuditEntry } from '@millrace/contract/access'
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { wireTime } from '#platform/core/times.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { countRowsOf, isRowOf, selectEntries } from './audit-store.ts'
import { type AuditVerdict, verifyAuditOf } from './audit-verify.ts'

const textColumns = [
  'id',
  'actor_user_id',
  'actor_kind',
  'actor_id',
  'action',
  'resource_type',
  'resource_id',
  'ip',
  'user_agent',
] as const

const listSpec: ListSpec = {
  id: 'audit_log.id',
  columns: {
    ...Object.fromEntries(textColumns.map((name) => [name, { ref: `audit_log.${name}`, type: 'text' as const }])),
    created_at: { ref: 'audit_log.created_at', type: 'time' },
  },
  search: ['action', 'resource_id', 'actor_user_id'],
}

export const listAudit = ({ db, actor, notice }: Ctx, request: ListRequest): Promise<Page<Partial<AuditEntry>>> =>
  runList(selectEntries(db, actor.teamId), {
    db,
    spec: listSpec,
    request,
    toItem: (row): AuditEntry => ({ ...row, meta: row.meta as AuditEntry['meta'] }),
    notice,
  })

/** The verification in progress on each server, shared by all callers, so that only one runs at a time. */
const verifications = perPlatform((): { going: Promise<AuditVerdict> | null } => ({ going: null }))

const verifyOnce = (ctx: Ctx): Promise<AuditVerdict> => {
  const server = verifications(ctx)
  server.going ??= verifyAuditOf(ctx).finally(() => {
    server.going = null
  })
  return server.going
}

/** All workspaces share one chain, so the whole chain is verified; the result describes only the caller's workspace. */
export const checkAudit = async (ctx: Ctx): Promise<AuditCheck> => {
  const verdict = await verifyOnce(ctx)
  const { teamId } = ctx.actor
  const summary = { ok: verdict.ok, rows: await countRowsOf(ctx.db, teamId), checked_at: wireTime(ctx.now()) }
  if (verdict.ok) return summary
  const isOwn = verdict.id !== null && (await isRowOf(ctx.db, teamId, verdict.id))
  return { ...summary, reason: verdict.reason, ...(isOwn && verdict.id !== null ? { entry_id: verdict.id } : {}) }
}
