// Permission to widen the visibility of a row, for resources with all five visibilities.
import { type Visibility, visibilities } from '@millrace/contract/common'
import { isTeamAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { OwnedRow } from './visibility.ts'

/** `visibilities` is ordered from the narrowest to the widest. */
const widens = (from: string, to: Visibility): boolean =>
  visibilities.indexOf(to) > visibilities.indexOf(from as Visibility)

/** Only the creator and administrators may widen; everyone with write access may narrow. */
export const assertWidening = (ctx: Ctx, row: OwnedRow, visibility: Visibility): void => {
  if (!widens(row.visibility, visibility) || row.user_id === ctx.actor.userId) return
  if (!isTeamAdmin(ctx.actor) && !ctx.actor.orgAdmin)
    throw fail('team_role_required', `Only the creator or a workspace admin can make a resource ${visibility}`)
}
