// The audit trail of a person's own sign-ins. It lies in their personal workspace: the admins of a shared one have no
// business with where and when a member signs in.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type AuditEntry, recordAudit } from '#platform/tenancy/audit.ts'
import { findPersonalTeamId } from './accounts-store.ts'

export const recordPersonal = async (
  ctx: Ctx<Actor>,
  userId: string,
  action: string,
  entry: Omit<AuditEntry, 'teamId'>,
): Promise<void> => recordAudit(ctx, action, { ...entry, teamId: await findPersonalTeamId(ctx.db, userId) })
