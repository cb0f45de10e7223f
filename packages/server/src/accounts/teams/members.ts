// Rules of membership: members, their roles, and what ends with a membership.

import { newId } from '@millrace/contract/ids'
import type { TeamMember } from '@millrace/contract/teams'
import type { TeamRole } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { forgetCredentials, revokeKeysOfMember } from '../access/service.ts'
import {
  assignableRoles,
  isValidEmail,
  mailboxKey,
  normaliseEmail,
  refuseRemoval,
  reportUser,
  teamRoles,
  wouldLeaveNoOwner,
} from '../identity/service.ts'
import { memberUserDto } from './dto.ts'
import { memberLeft } from './extension-points.ts'
import { revokeInvitesOf } from './invites-store.ts'
import * as store from './members-store.ts'
import { deleteOrgAdmin } from './organizations-store.ts'
import { requireSeat } from './seats.ts'
import { resetDefaultTeam, type TeamRow } from './store.ts'
import { changeTeam, getTeamAccess, requireRole, type TeamAccess } from './team-access.ts'

export const listMembers = async (ctx: Ctx, ref: string): Promise<TeamMember[]> => {
  const at = await getTeamAccess(ctx, ref)
  const rows = await store.listMembers(ctx.db, at.team.id)
  const ownerCount = rows.filter((row) => row.role === 'owner').length
  return rows.map((row) => toMember(ctx, at, row, ownerCount))
}

/** Includes what the caller may do to the member, for controls in the console. */
const toMember = (ctx: Ctx, { position }: TeamAccess, row: store.MemberRow, ownerCount: number): TeamMember => {
  const actor = position.isPerson ? (position.role ?? 'member') : 'member'
  const self = ctx.actor.isPerson && row.user_id === ctx.actor.userId
  const removal = { actor, target: row.role, self, ownerCount, kind: position.kind }
  const roles = assignableRoles(actor, row.role, position.kind)
  return {
    ...plainMemberDto(row),
    assignable_roles: roles.filter((role) => !wouldLeaveNoOwner(row.role, role, ownerCount)),
    removable: refuseRemoval(removal) === null,
  }
}

export const plainMemberDto = (row: store.MemberRow): TeamMember => ({
  id: row.id,
  user_id: row.user_id,
  team_id: row.team_id,
  role: row.role,
  user: memberUserDto({ ...row, id: row.user_id }),
})

/** Normalizes a typed address and finds its mailbox. */
export const readAddress = (typed: string): { email: string; mailbox: string } => {
  const email = normaliseEmail(typed)
  if (!isValidEmail(email)) throw fail('validation_error', '`email` must be an email address')
  return { email, mailbox: mailboxKey(email) }
}

/** Whether the caller may admit a member with this role. `present` is the previously promised role, if any. */
export const requireMayAdmit = (at: TeamAccess, role: TeamRole, present: TeamRole = 'member'): void => {
  const actor = requireRole(at, 'admin')
  if (at.position.kind === 'personal') throw fail('validation_error', 'A personal workspace has one member')
  requireAssignable(at, actor, present, role)
}

const requireAssignable = ({ position }: TeamAccess, actor: TeamRole, present: TeamRole, role: TeamRole): void => {
  if (!assignableRoles(actor, present, position.kind).includes(role))
    throw fail('team_role_required', 'Only an owner can add, change or remove owners')
}

export const addMemberByEmail = (ctx: Ctx, ref: string, typed: string, role: TeamRole): Promise<TeamMember> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    requireMayAdmit(at, role)
    const { email, mailbox } = readAddress(typed)
    const people = await store.listPeopleOfMailbox(ctx.db, at.team.id, mailbox, email)
    const [person] = people
    if (!person) throw fail('not_found', 'No account has this address; send an invite')
    if (people.some((one) => one.member_id !== null)) throw fail('already_exists', 'This person is already a member')
    return admit(ctx, at.team, person.id, role)
  })

/** Writes the membership. The caller holds the workspace's lock and has checked the permission. */
export const admit = async (ctx: Ctx, team: TeamRow, userId: string, role: TeamRole): Promise<TeamMember> => {
  await requireSeat(ctx, team.id)
  const now = ctx.now().toISOString()
  const inserted = await store.insertMember(ctx.db, {
    id: newId(),
    team_id: team.id,
    user_id: userId,
    role,
    created_at: now,
    updated_at: now,
  })
  if (inserted) {
    await record(ctx, 'member.added', team, userId, { role })
    await reportUser(ctx, userId, team.id)
  }
  const row = await store.findMember(ctx.db, team.id, userId)
  if (!row) throw fail('not_found', 'Account not found')
  return plainMemberDto(row)
}

const record = (ctx: Ctx, action: string, team: TeamRow, userId: string, meta: Record<string, unknown>) =>
  recordAudit(ctx, action, { resourceType: 'user', resourceId: userId, teamId: team.id, meta })

export const setMemberRole = (ctx: Ctx, ref: string, userRef: string, role: TeamRole): Promise<TeamMember> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    const actor = requireRole(at, 'admin')
    if (at.position.kind === 'personal')
      throw fail('validation_error', 'The owner of a personal workspace cannot be changed')
    const member = await store.findMember(ctx.db, at.team.id, userRef)
    if (!member) throw fail('not_found', 'Member not found')
    requireAssignable(at, actor, member.role, role)
    const { owners } = await store.countMembers(ctx.db, at.team.id)
    if (wouldLeaveNoOwner(member.role, role, owners)) throw lastOwner()
    await store.updateMemberRole(ctx.db, member.id, role, ctx.now().toISOString())
    await withdrawInvites(ctx, at.team, member.user_id, assignableRoles(role, 'member', at.position.kind))
    await forgetCredentials(ctx, member.user_id)
    await record(ctx, 'member.role_changed', at.team, member.user_id, { from: member.role, to: role })
    return plainMemberDto({ ...member, role })
  })

/**
 * Withdraws invites that the person may no longer send; through them they could admit anyone, including themselves
 * under another name.
 */
const withdrawInvites = async (
  ctx: Ctx,
  team: TeamRow,
  userId: string,
  allowedRoles: readonly TeamRole[],
): Promise<void> => {
  const lost = teamRoles.filter((role) => !allowedRoles.includes(role))
  if (lost.length === 0) return
  for (const { id } of await revokeInvitesOf(ctx.db, team.id, userId, lost, ctx.now().toISOString()))
    await recordAudit(ctx, 'invite.revoked', {
      resourceType: 'invite',
      resourceId: id,
      teamId: team.id,
      meta: { invited_by: userId },
    })
}

const lastOwner = () => fail('validation_error', 'A workspace needs at least one owner')

export const removeMember = (ctx: Ctx, ref: string, userRef: string): Promise<void> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    const member = await store.findMember(ctx.db, at.team.id, userRef)
    const self = ctx.actor.isPerson && member?.user_id === ctx.actor.userId
    const actor = self ? (at.position.role ?? 'member') : requireRole(at, 'admin')
    if (!member) throw fail('not_found', 'Member not found')
    const { owners } = await store.countMembers(ctx.db, at.team.id)
    const refusal = refuseRemoval({
      actor,
      target: member.role,
      self,
      ownerCount: owners,
      kind: at.position.kind,
    })
    if (refusal === 'role') throw fail('team_role_required', 'Only an owner can add, change or remove owners')
    if (refusal === 'personal_team')
      throw fail('validation_error', 'The member of a personal workspace cannot be removed')
    if (refusal === 'last_owner') throw lastOwner()
    await endMembership(ctx, at.team, member.user_id)
    await record(ctx, self ? 'member.left' : 'member.removed', at.team, member.user_id, { role: member.role })
  })

/** Everything that a person has only as a member ends with the membership. Their sign-ins stay valid elsewhere. */
export const endMembership = async (ctx: Ctx, team: TeamRow, userId: string): Promise<void> => {
  await store.deleteMember(ctx.db, team.id, userId)
  await revokeKeysOfMember(ctx, team.id, userId)
  await withdrawInvites(ctx, team, userId, [])
  for (const listener of ctx.extensions.listenersOf(memberLeft)) await listener(ctx, team.id, userId)
  await resetDefaultTeam(ctx.db, team.id, userId)
  if (team.type === 'org' && team.org_id !== null) await deleteOrgAdmin(ctx.db, team.org_id, userId)
  // Their default workspace may have changed too.
  await reportUser(ctx, userId)
  await forgetCredentials(ctx, userId)
}
