// The caller's role in the workspace that the path names, which may differ from the one it acts in. Invisible
// workspaces are absent: an unknown and a foreign one answer alike.
import type { Member, TeamRole } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { type Position, teamKind } from '../identity/service.ts'
import * as store from './store.ts'

export type TeamAccess = {
  readonly team: store.TeamRow
  /** From the membership; null for a workspace key and for an organization admin who is not a member. */
  readonly memberRole: TeamRole | null
  /** Includes what follows from the role: platform administrators bypass role checks where they are members. */
  readonly position: Position
}

/** A key, and work on its behalf, stays in its own workspace. */
export const isPinned = (actor: Member): boolean => actor.kind !== 'session' && actor.kind !== 'browser'

export const getTeamAccess = async (ctx: Ctx, ref: string): Promise<TeamAccess> => {
  const { actor } = ctx
  const row = await store.findTeamAccess(ctx.db, ref, actor.userId)
  if (!row || (isPinned(actor) && row.id !== actor.teamId)) throw teamNotFound()
  const { member_role: memberRole, org_admin, ...team } = row
  const powered = actor.platform === 'powered'
  const orgAdmin = org_admin !== null && !isPinned(actor)
  const isService = !actor.isPerson && team.id === actor.teamId
  if (memberRole === null && !orgAdmin && !isService) throw teamNotFound()
  return {
    team,
    memberRole,
    position: {
      role: memberRole !== null && powered ? 'owner' : memberRole,
      kind: teamKind({ type: team.type, orgId: team.org_id }),
      isPerson: actor.isPerson,
      orgAdmin,
      platformAdmin: powered,
      inPlatformTeam: team.is_platform,
    },
  }
}

export const teamNotFound = () => fail('not_found', 'Workspace not found')

const rank: Record<TeamRole, number> = { member: 0, admin: 1, owner: 2 }

/** Only people manage a workspace; a service account is always refused. */
export const requireRole = ({ position }: TeamAccess, role: TeamRole): TeamRole => {
  if (position.isPerson && position.role !== null && rank[position.role] >= rank[role]) return position.role
  throw fail('team_role_required', `This needs the role ${role} in the workspace`)
}

/**
 * Changes of one workspace are serialized. Permissions are read after the lock, so that they are still true when the
 * change is written.
 */
export const changeTeam = <T>(ctx: Ctx, ref: string, work: (ctx: Ctx, at: TeamAccess) => Promise<T>): Promise<T> =>
  ctx.tx(async (ctx) => {
    const { team } = await getTeamAccess(ctx, ref)
    await store.lockTeam(ctx.db, team.id)
    return work(ctx, await getTeamAccess(ctx, team.id))
  })
