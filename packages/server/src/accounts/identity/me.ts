// Who is calling, and where they stand in the workspace they act in.
import type { Me } from '@millrace/contract/identity'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { teamAndView } from '../teams/service.ts'
import { findUser } from './accounts-store.ts'
import { userDto } from './dto.ts'

export const readMe = async (ctx: Ctx): Promise<Me> => {
  const { userId, teamId } = ctx.actor
  const user = await findUser(ctx.db, userId)
  if (!user) throw fail('unauthorized', 'This account does not exist any more')
  const { team, view } = await teamAndView(ctx, teamId)
  return { user: userDto(user), team, ...(view.org ? { org: view.org } : {}), team_view: view }
}

/** A key is not a person who has signed in, whoever made it. */
export const readSignedIn = (ctx: Ctx): Promise<Me> => {
  if (ctx.actor.kind !== 'session' && ctx.actor.kind !== 'browser')
    throw fail('requires_sign_in', 'This door is for sign-ins; a key asks at GET /me')
  return readMe(ctx)
}
