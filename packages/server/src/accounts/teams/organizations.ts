// Rules of organizations: groups of workspaces and the people who administer all of them. An organization acts through
// its own workspace; its admins are members there.
import type { ListRequest } from '@millrace/contract/common'
import { newId, shortId } from '@millrace/contract/ids'
import type { CreateOrganization, Organization, Team } from '@millrace/contract/teams'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { forgetCredentials } from '../access/service.ts'
import { createTeam, teamDto } from '../identity/service.ts'
import { policySetFor } from '../usage-policies/service.ts'
import { memberUserDto } from './dto.ts'
import { admit, endMembership, readAddress } from './members.ts'
import { findMember, listPeopleOfMailbox } from './members-store.ts'
import * as store from './organizations-store.ts'
import { findOrgWorkspace, findTeam, findTeamByRef, lockTeam, type TeamRow, updateTeam } from './store.ts'
import { teamNotFound } from './team-access.ts'

const organizationList: ListSpec = {
  id: 'organizations.id',
  columns: {
    id: { ref: 'organizations.id', type: 'text' },
    name: { ref: 'organizations.name', type: 'text' },
    created_at: { ref: 'organizations.created_at', type: 'time' },
    updated_at: { ref: 'organizations.updated_at', type: 'time' },
  },
  search: ['name'],
}

const toOrganization = (row: store.OrganizationRow): Organization => ({ ...row, short_id: shortId(row.id) })

export const listOrganizations = (ctx: Ctx, request: ListRequest) =>
  runList(store.organizationsQuery(ctx.db), {
    db: ctx.db,
    spec: organizationList,
    request,
    toItem: toOrganization,
    notice: ctx.notice,
  })

const find = async (ctx: Ctx, ref: string): Promise<store.OrganizationRow> => {
  const row = await store.findOrganization(ctx.db, ref)
  if (!row) throw fail('not_found', 'Organization not found')
  return row
}

/** The organization with its workspace locked, so that changes of its members are serialized. */
const lock = async (ctx: Ctx, ref: string): Promise<{ org: store.OrganizationRow; workspace: TeamRow }> => {
  const org = await find(ctx, ref)
  const workspace = await findTeam(ctx.db, org.team_id ?? '')
  if (!workspace) throw fail('internal_error', { cause: new Error(`Organization ${org.id} has no workspace`) })
  await lockTeam(ctx.db, workspace.id)
  return { org, workspace }
}

export const getOrganization = async (ctx: Ctx, ref: string): Promise<Organization> =>
  toOrganization(await find(ctx, ref))

export const createOrganization = (ctx: Ctx, { name, username }: CreateOrganization): Promise<Organization> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now().toISOString()
    const id = newId()
    await store.insertOrganization(ctx.db, { id, name, created_at: now, updated_at: now })
    const team = await createTeam(ctx, ctx.actor.userId, { name, username })
    await updateTeam(ctx.db, team.id, { type: 'org', org_id: id })
    await store.insertOrgAdmin(ctx.db, { org_id: id, user_id: ctx.actor.userId, created_at: now })
    await recordAudit(ctx, 'organization.created', {
      resourceType: 'organization',
      resourceId: id,
      teamId: team.id,
      meta: { name },
    })
    return getOrganization(ctx, id)
  })

export const listOrganizationTeams = async (ctx: Ctx, ref: string): Promise<Team[]> => {
  const { id } = await find(ctx, ref)
  return (await store.listTeamsOfOrganization(ctx.db, id)).map((row) => teamDto(row, null))
}

export const attachTeam = (ctx: Ctx, ref: string, teamRef: string): Promise<Team> =>
  ctx.tx(async (ctx) => {
    const { id } = await find(ctx, ref)
    const team = await lockNamed(ctx, teamRef)
    if (team.org_id === id) return teamDto(team, null)
    if (team.type !== 'team') throw fail('validation_error', `A ${team.type} workspace cannot be attached`)
    if (team.org_id !== null) throw fail('conflict', 'The workspace is attached to another organization')
    return setOrganization(ctx, team, id, 'organization.team_attached', id)
  })

export const detachTeam = (ctx: Ctx, ref: string, teamRef: string): Promise<Team> =>
  ctx.tx(async (ctx) => {
    const { id } = await find(ctx, ref)
    const team = await lockNamed(ctx, teamRef)
    if (team.org_id !== id) throw teamNotFound()
    if (team.type === 'org') throw fail('validation_error', 'An organization’s own workspace cannot be detached')
    return setOrganization(ctx, team, null, 'organization.team_detached', id)
  })

const lockNamed = async (ctx: Ctx, ref: string): Promise<TeamRow> => {
  const named = await findTeamByRef(ctx.db, ref)
  if (!named) throw teamNotFound()
  await lockTeam(ctx.db, named.id)
  const team = await findTeam(ctx.db, named.id)
  if (!team) throw teamNotFound()
  return team
}

/** Cached actors of the workspace contain its organization, so the cache is dropped. */
const setOrganization = async (ctx: Ctx, team: TeamRow, orgId: string | null, action: string, resourceId: string) => {
  const governor = orgId === null ? team : await findOrgWorkspace(ctx.db, orgId)
  const saved = await updateTeam(ctx.db, team.id, {
    org_id: orgId,
    // While attached, the workspace uses the organization's policy.
    usage_policy_id: await policySetFor(ctx, governor?.id ?? team.id),
    updated_at: ctx.now().toISOString(),
  })
  if (!saved) throw teamNotFound()
  await forgetCredentials(ctx, team.id)
  await recordAudit(ctx, action, { resourceType: 'organization', resourceId, teamId: team.id })
  return teamDto(saved, null)
}

type OrgAdminRow = NonNullable<Awaited<ReturnType<typeof store.findOrgAdmin>>>

const toOrgAdmin = (row: OrgAdminRow) => ({
  user_id: row.user_id,
  created_at: row.created_at,
  user: memberUserDto({ ...row, id: row.user_id }),
})

export const listOrgAdmins = async (ctx: Ctx, ref: string) => {
  const { id } = await find(ctx, ref)
  return (await store.listOrgAdmins(ctx.db, id)).map(toOrgAdmin)
}

export const addOrgAdmin = (ctx: Ctx, ref: string, typed: string) =>
  ctx.tx(async (ctx) => {
    const { org, workspace } = await lock(ctx, ref)
    const { email, mailbox } = readAddress(typed)
    const [person] = await listPeopleOfMailbox(ctx.db, workspace.id, mailbox, email)
    if (!person) throw fail('not_found', 'No account has this address')
    if (person.member_id === null) await admit(ctx, workspace, person.id, 'admin')
    const now = ctx.now().toISOString()
    const added = await store.insertOrgAdmin(ctx.db, { org_id: org.id, user_id: person.id, created_at: now })
    if (added) await recordOrgAdmin(ctx, 'organization.admin_added', org, workspace, person.id)
    await forgetCredentials(ctx, person.id)
    const row = await store.findOrgAdmin(ctx.db, org.id, person.id)
    if (!row) throw fail('not_found', 'Account not found')
    return toOrgAdmin(row)
  })

/** An admin who was a member of the organization's workspace only in that role leaves it; an owner stays. */
export const removeOrgAdmin = (ctx: Ctx, ref: string, userRef: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { org, workspace } = await lock(ctx, ref)
    const admin = await store.findOrgAdmin(ctx.db, org.id, userRef)
    if (!admin) throw fail('not_found', 'Admin not found')
    const member = await findMember(ctx.db, workspace.id, admin.user_id)
    if (member?.role === 'admin') await endMembership(ctx, workspace, admin.user_id)
    await store.deleteOrgAdmin(ctx.db, org.id, admin.user_id)
    await forgetCredentials(ctx, admin.user_id)
    await recordOrgAdmin(ctx, 'organization.admin_removed', org, workspace, admin.user_id)
  })

const recordOrgAdmin = (
  ctx: Ctx,
  action: string,
  org: store.OrganizationRow,
  workspace: TeamRow,
  userId: string,
): Promise<void> =>
  recordAudit(ctx, action, {
    resourceType: 'organization',
    resourceId: org.id,
    teamId: workspace.id,
    meta: { user_id: userId },
  })
