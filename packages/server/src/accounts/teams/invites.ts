// Rules of invites: a mailed link admits one mailbox to one workspace, once, within seven days.
import { newId } from '@millrace/contract/ids'
import type { Invite, InviteInfo, TeamMember } from '@millrace/contract/teams'
import type { Actor, TeamRole } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, newOpaqueToken } from '#platform/core/tokens.ts'
import { queueMail } from '#platform/mail/queue.ts'
import { inviteMail } from '#platform/mail/templates.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { inviteDto, inviteInfoDto } from './dto.ts'
import * as store from './invites-store.ts'
import { admit, plainMemberDto, readAddress, requireMayAdmit } from './members.ts'
import { findMember, listPeopleOfMailbox } from './members-store.ts'
import { requireSeat } from './seats.ts'
import { findTeam, findUser, lockTeam } from './store.ts'
import { changeTeam, getTeamAccess, requireRole, type TeamAccess } from './team-access.ts'

const inviteDays = 7

export const listTeamInvites = async (ctx: Ctx, ref: string): Promise<Invite[]> => {
  const at = await getTeamAccess(ctx, ref)
  requireRole(at, 'admin')
  const rows = await store.listInvites(ctx.db, at.team.id)
  return rows.map((row) => inviteDto(row, ctx.now()))
}

export const createInvite = (ctx: Ctx, ref: string, typed: string, role: TeamRole): Promise<Invite> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    const token = newOpaqueToken()
    const row = await writeInvite(ctx, at, typed, role, token)
    const mail = inviteMail({
      to: row.email,
      teamName: row.team_name,
      invitedBy: row.inviter_full_name || row.inviter_name,
      role: row.role,
      link: inviteAddress(ctx.settings.APP_URL, token),
      expiresAt: row.expires_at,
    })
    await queueMail(ctx, mail, { notAfter: new Date(row.expires_at) })
    return inviteDto(row, ctx.now())
  })

export const inviteAddress = (appUrl: string, token: string): string => `${appUrl}/invite?token=${token}`

const writeInvite = async (ctx: Ctx, at: TeamAccess, typed: string, role: TeamRole, token: string) => {
  const { team } = at
  const now = ctx.now()
  requireMayAdmit(at, role)
  const { email, mailbox } = readAddress(typed)
  const people = await listPeopleOfMailbox(ctx.db, team.id, mailbox, email)
  if (people.some((person) => person.member_id !== null))
    throw fail('already_exists', 'This person is already a member')
  await store.expireInvites(ctx.db, team.id, now.toISOString())
  const pending = await store.findPendingInvite(ctx.db, team.id, mailbox)
  const fresh = {
    email,
    role,
    token_hash: hashToken(token),
    invited_by: ctx.actor.userId,
    expires_at: new Date(now.getTime() + inviteDays * 24 * 3_600_000).toISOString(),
    updated_at: now.toISOString(),
  }
  const id = pending?.id ?? newId()
  if (pending) {
    requireMayAdmit(at, role, pending.role)
    await store.renewInvite(ctx.db, id, fresh)
  } else {
    await requireSeat(ctx, team.id, await store.countPendingInvites(ctx.db, team.id, now.toISOString()))
    await store.insertInvite(ctx.db, { ...fresh, id, team_id: team.id, mailbox, created_at: now.toISOString() })
  }
  await record(ctx, pending ? 'invite.renewed' : 'invite.created', { id, team_id: team.id }, { email, role })
  return reread(ctx, id)
}

const reread = async (ctx: Ctx, id: string): Promise<store.InviteRow> => {
  const row = await store.findInvite(ctx.db, id)
  if (!row) throw inviteNotFound()
  return row
}

const record = (
  ctx: Ctx,
  action: string,
  invite: { id: string; team_id: string },
  meta: Record<string, unknown> = {},
) => recordAudit(ctx, action, { resourceType: 'invite', resourceId: invite.id, teamId: invite.team_id, meta })

export const revokeInvite = (ctx: Ctx, ref: string, inviteRef: string): Promise<Invite> =>
  changeTeam(ctx, ref, async (ctx, at) => {
    requireRole(at, 'admin')
    const row = await store.findInviteOfTeam(ctx.db, at.team.id, inviteRef)
    if (!row) throw inviteNotFound()
    await settle(ctx, row, 'revoked')
    return inviteDto(await reread(ctx, row.id), ctx.now())
  })

const settle = async (ctx: Ctx, row: store.InviteRow, status: 'accepted' | 'declined' | 'revoked'): Promise<void> => {
  const updated = await store.settleInvite(ctx.db, row.id, status, ctx.now().toISOString())
  if (!updated) throw fail('invite_invalid', 'The invite has expired, was answered or was withdrawn')
  await record(ctx, `invite.${status}`, row)
}

const inviteNotFound = () => fail('not_found', 'Invite not found')

export const listMyInvites = async (ctx: Ctx): Promise<Invite[]> => {
  const me = await findUser(ctx.db, ctx.actor.userId)
  if (!me?.mailbox) return []
  const rows = await store.listPendingInvitesOfMailbox(ctx.db, me.mailbox, ctx.now().toISOString())
  return rows.map((row) => inviteDto(row, ctx.now()))
}

export const inviteInfo = async (ctx: Ctx<Actor>, token: string): Promise<InviteInfo> => {
  const row = await store.findInviteByToken(ctx.db, hashToken(token))
  if (!row) throw inviteNotFound()
  return inviteInfoDto(row, ctx.now())
}

/** An invite is for the owner of the mailbox: its account, or the bearer of the mailed token. */
const findMyInvite = async (ctx: Ctx, ref: string, token: string | undefined): Promise<store.InviteRow> => {
  const row = await store.findInvite(ctx.db, ref)
  if (!row) throw inviteNotFound()
  if (token !== undefined) {
    if (row.token_hash.equals(hashToken(token))) return row
    throw inviteNotFound()
  }
  const me = await findUser(ctx.db, ctx.actor.userId)
  if (me?.mailbox !== row.mailbox) throw inviteNotFound()
  return row
}

/** The content of an invite, for the account of the invited mailbox. */
export const ownInviteInfo = async (ctx: Ctx, ref: string): Promise<InviteInfo> =>
  inviteInfoDto(await findMyInvite(ctx, ref, undefined), ctx.now())

export const acceptInvite = (ctx: Ctx, ref: string, token: string | undefined): Promise<TeamMember> =>
  ctx.tx(async (ctx) => {
    await lockTeam(ctx.db, (await findMyInvite(ctx, ref, token)).team_id)
    // Read again, because a concurrent renewal invalidates the old link.
    const row = await findMyInvite(ctx, ref, token)
    await settle(ctx, row, 'accepted')
    const team = await findTeam(ctx.db, row.team_id)
    if (!team) throw inviteNotFound()
    // A person who became a member meanwhile keeps their role.
    const present = await findMember(ctx.db, team.id, ctx.actor.userId)
    return present ? plainMemberDto(present) : admit(ctx, team, ctx.actor.userId, row.role)
  })

export const declineInvite = (ctx: Ctx, ref: string, token: string | undefined): Promise<Invite> =>
  ctx.tx(async (ctx) => {
    const row = await findMyInvite(ctx, ref, token)
    await settle(ctx, row, 'declined')
    return inviteDto(await reread(ctx, row.id), ctx.now())
  })
