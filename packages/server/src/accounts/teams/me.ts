// Rules of the caller's own profile.
import type { Me } from '@millrace/contract/identity'
import type { UpdateMe, User } from '@millrace/contract/teams'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { forgetCredentials } from '../access/service.ts'
import { findAccount, reportUser, userDto } from '../identity/service.ts'
import * as store from './store.ts'
import { teamAndView } from './teams.ts'

export const readMe = async (ctx: Ctx): Promise<Me> => {
  const { userId, teamId } = ctx.actor
  const user = await findAccount(ctx, userId)
  if (!user) throw fail('unauthorized', 'This account was deleted')
  const { team, view } = await teamAndView(ctx, teamId)
  return { user: userDto(user), team, ...(view.org ? { org: view.org } : {}), team_view: view }
}

/** A key is not a sign-in. */
export const readSignedIn = (ctx: Ctx): Promise<Me> => {
  if (ctx.actor.kind !== 'session' && ctx.actor.kind !== 'browser')
    throw fail('requires_sign_in', 'Only sign-ins can use this route; with a key, call GET /me')
  return readMe(ctx)
}

const ownTeam = async (ctx: Ctx, ref: string) => {
  const team = await store.findTeamAccess(ctx.db, ref, ctx.actor.userId)
  if (!team || team.member_role === null)
    throw fail('validation_error', '`default_team_id` must be one of your workspaces')
  return team
}

export const updateMe = (ctx: Ctx, values: UpdateMe): Promise<User> =>
  ctx.tx(async (ctx) => {
    const { userId } = ctx.actor
    const team = values.default_team_id === undefined ? null : await ownTeam(ctx, values.default_team_id)
    const saved = await store.updateUser(ctx.db, userId, {
      ...(values.name === undefined ? {} : { name: values.name }),
      ...(values.full_name === undefined ? {} : { full_name: values.full_name }),
      ...(values.avatar_url === undefined ? {} : { avatar_url: values.avatar_url }),
      ...(team === null ? {} : { default_team_id: team.id }),
      updated_at: ctx.now().toISOString(),
    })
    // Sign-ins without a workspace use the default one.
    if (team !== null) await forgetCredentials(ctx, userId)
    await recordAudit(ctx, 'user.updated', {
      resourceType: 'user',
      resourceId: userId,
      meta: { fields: Object.keys(values) },
    })
    await reportUser(ctx, userId)
    return userDto(saved)
  })
