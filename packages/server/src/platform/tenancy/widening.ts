// Who may show a row to more people than before, where each of the five visibilities is allowed.
import { type Visibility, visibilities } from '@millrace/contract/common'
import { isTeamAdmin } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { OwnedRow } from './visibility.ts'

/** `visibilities` are listed from the narrowest to the widest. */
const widens = (from: string, to: Visibility): boolean =>
  visibilities.indexOf(to) > visibilities.indexOf(from as Visibility)

/** Widening is for the row's creator and for administrators; whoever may write it may narrow it. */
export const assertWidening = (ctx: Ctx, row: OwnedRow, visibility: Visibility): void => {
  if (!widens(row.visibility, visibility) || row.user_id === ctx.actor.userId) return
  if (!isTeamAdmin(ctx.actor) && !ctx.actor.orgAdmin)
    throw fail('team_role_required', `Only its creator or a workspace admin makes a resource ${visibility}`)
}
