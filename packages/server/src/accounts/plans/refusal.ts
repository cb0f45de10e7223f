// The refusal for a workspace that reached a limit.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isDisabled, labelOf, type Resolved } from './rules.ts'
import { findUpgrade } from './upgrade.ts'

/** Throws the refusal with its figures; where the operator configured a warning, the response carries it instead. */
export const refuse = async (ctx: Ctx<Actor>, resolved: Resolved, used: number): Promise<void> => {
  const code = isDisabled(resolved) ? 'feature_not_available' : 'limit_exceeded'
  const label = labelOf(resolved.resource)
  const current = Math.round(used * 100) / 100
  const detail =
    code === 'feature_not_available'
      ? `The plan of this workspace does not include: ${label}`
      : `The plan of this workspace allows ${resolved.limit} (${label}); ${current} are in use`
  const meta = {
    resource: resolved.resource,
    resource_label: label,
    limit: resolved.limit,
    current,
    ...(await findUpgrade(ctx.db, resolved)),
  }
  if (resolved.enforcement === 'warn') return ctx.notice({ level: 'warning', code, message: detail, meta })
  throw fail(code, { detail, meta })
}
