// Rules of workspaces: view, create, rename, set up and archive.

import type { CreateTeam, Team, TeamView, UpdateTeam } from '@millrace/contract/teams'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { isNamespaceOfOthers } from '#platform/tenancy/namespaces.ts'
import { forgetCredentials, revokeKeysOfTeam } from '../access/service.ts'
import {
  capabilitiesOf,
  createTeam,
  isValidEmail,
  normaliseEmail,
  normaliseUsername,
  teamDto,
  usernameProblem,
} from '../identity/service.ts'
import { workspaceArchived } from './extension-points.ts'
import * as invites from './invites-store.ts'
import * as store from './store.ts'
import { changeTeam, getTeamAccess, isPinned, requireRole, type TeamAccess } from './team-access.ts'

export const listTeams = async (ctx: Ctx): Promise<Team[]> => {
  if (isPinned(ctx.actor)) return [await getTeam(ctx, ctx.actor.teamId)]
  const rows = await store.listTeamsOfUser(ctx.db, ctx.actor.userId)
  return rows.map((row) => teamDto(row, row.member_role))
}

export const getTeam = async (ctx: Ctx, ref: string): Promise<Team> => {
  const { team, memberRole } = await getTeamAccess(ctx, ref)
  return teamDto(team, memberRole)
}

export const viewTeam = async (ctx: Ctx, ref: string): Promise<TeamView> => viewFrom(ctx, await getTeamAccess(ctx, ref))

/** A workspace with the capabilities of its reader. */
export const teamAndView = async (ctx: Ctx, ref: string): Promise<{ team: Team; view: TeamView }> => {
  const standing = await getTeamAccess(ctx, ref)
  return { team: teamDto(standing.team, standing.memberRole), view: await viewFrom(ctx, standing) }
}

const viewFrom = async (ctx: Ctx, { team, position }: TeamAccess): Promise<TeamView> => {
  const org = team.org_id === null ? undefined : await store.findOrganization(ctx.db, team.org_id)
  const governor =
    position.kind === 'org_member' && team.org_id !== null
      ? await store.findOrgWorkspace(ctx.db, team.org_id)
      : undefined
  const by = governor ? { by: 'org' as const, team_id: governor.id } : { by: 'team' as const, team_id: team.id }
  return {
    team_id: team.id,
    kind: position.kind,
    ...(org ? { org: { id: org.id, name: org.name } } : {}),
    governance: { billing: by, policy: by },
    can: capabilitiesOf(position),
  }
}

export const openTeam = async (ctx: Ctx, values: CreateTeam): Promise<Team> => {
  if (!ctx.actor.isPerson) throw fail('team_role_required', 'Only a person can create a workspace')
  const email = values.email === undefined ? '' : contactEmail(values.email)
  const team = await createTeam(ctx, ctx.actor.userId, { ...values, email })
  return teamDto(team, 'owner')
}

const contactEmail = (typed: string): string => {
  const email = normaliseEmail(typed)
  if (email !== '' && !isValidEmail(email)) throw fail('validation_error', '`email` must be an email address')
  return email
}

export const updateTeam = (ctx: Ctx, ref: string, values: UpdateTeam): Promise<Team> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    requireRole(at, 'admin')
    const { team } = at
    if (values.username !== undefined && values.username !== team.username && team.setup_completed)
      throw fail('validation_error', '`username` cannot change once the workspace is set up')
    return save(ctx, at, 'team.updated', {
      name: values.name ?? team.name,
      email: values.email === undefined ? team.email : contactEmail(values.email),
      avatar_url: values.avatar_url ?? team.avatar_url,
      username: chooseUsername(values.username ?? team.username, team.username),
      default_visibility: values.default_visibility ?? team.default_visibility,
    })
  })

/** Set-up chooses the username, once. Repeating the same name is no error. */
export const setUpTeam = (ctx: Ctx, ref: string, username: string): Promise<Team> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    requireRole(at, 'admin')
    const { team } = at
    if (team.setup_completed && username === team.username) return teamDto(team, at.memberRole)
    if (team.setup_completed) throw fail('invalid_state', 'The workspace is set up; its username is final')
    return save(ctx, at, 'team.set_up', { username: chooseUsername(username, team.username), setup_completed: true })
  })

const chooseUsername = (wanted: string, present: string): string => {
  if (wanted === present) return present
  const problem = usernameProblem(wanted)
  if (problem === 'invalid')
    throw fail(
      'validation_error',
      '`username` must be lower-case letters, digits and single hyphens, at most 64 characters',
    )
  if (problem === 'reserved') throw fail('conflict', `The username ${wanted} is reserved`)
  return wanted
}

const save = async (
  ctx: Ctx,
  { team, memberRole }: TeamAccess,
  action: string,
  change: Pick<store.TeamRow, 'username'> &
    Partial<Pick<store.TeamRow, 'name' | 'email' | 'avatar_url' | 'setup_completed' | 'default_visibility'>>,
): Promise<Team> => {
  const isReserved = change.username !== team.username && (await isNamespaceOfOthers(ctx.db, change.username, team.id))
  const saved = isReserved
    ? undefined
    : await store.updateTeam(ctx.db, team.id, { ...change, updated_at: ctx.now().toISOString() })
  if (!saved) throw fail('conflict', `The username ${change.username} is taken`)
  const fields = (Object.keys(change) as (keyof typeof change)[]).filter((field) => change[field] !== team[field])
  await recordAudit(ctx, action, {
    resourceType: 'team',
    resourceId: team.id,
    teamId: team.id,
    meta: { fields },
  })
  return teamDto(saved, memberRole)
}

/** The workspace is retained with all its contents but becomes unreachable. */
export const archiveTeam = (ctx: Ctx, ref: string): Promise<void> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    requireRole(at, 'owner')
    const { team } = at
    if (team.type !== 'team') throw fail('validation_error', `A ${team.type} workspace cannot be archived`)
    const now = ctx.now().toISOString()
    await store.updateTeam(ctx.db, team.id, { deleted_at: now, updated_at: now })
    await invites.revokePendingInvites(ctx.db, team.id, now)
    for (const listener of ctx.extensions.listenersOf(workspaceArchived)) await listener(ctx, team.id)
    await revokeKeysOfTeam(ctx, team.id)
    await store.resetDefaultTeam(ctx.db, team.id, null)
    await forgetCredentials(ctx, team.id)
    await recordAudit(ctx, 'team.archived', { resourceType: 'team', resourceId: team.id, teamId: team.id })
  })

export const checkUsername = async (ctx: Ctx, typed: string) => {
  const value = normaliseUsername(typed)
  const problem = usernameProblem(value)
  if (problem === 'reserved') return { value, available: false, reason: 'reserved' as const }
  if (problem === 'invalid') return { value, available: false }
  if ((await store.isUsernameTaken(ctx.db, value)) || (await isNamespaceOfOthers(ctx.db, value, ctx.actor.teamId)))
    return { value, available: false, reason: 'taken' as const }
  return { value, available: true }
}

/**
 * An engine moves only between workspaces that the caller administers, because the target workspace trusts it with its
 * runs. Returns the target.
 */
export const requireTransfer = async (ctx: Ctx, sourceTeamId: string, targetRef: string): Promise<store.TeamRow> => {
  requireRole(await getTeamAccess(ctx, sourceTeamId), 'admin')
  const target = await getTeamAccess(ctx, targetRef)
  requireRole(target, 'admin')
  return target.team
}
