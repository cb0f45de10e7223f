// Audit entries of a person's own sign-ins, in their personal workspace: admins of shared workspaces must not see where
// and when a member signs in.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type AuditEntry, recordAudit } from '#platform/tenancy/audit.ts'
import { findPersonalTeamId } from '../accounts/accounts-store.ts'

export const recordPersonal = async (
  ctx: Ctx<Actor>,
  userId: string,
  action: string,
  entry: Omit<AuditEntry, 'teamId'>,
): Promise<void> => recordAudit(ctx, action, { ...entry, teamId: await findPersonalTeamId(ctx.db, userId) })
