// Maps members and invites to their wire form. Pure.
import type { Invite, InviteInfo, MemberUser } from '@millrace/contract/teams'
import type { InviteRow } from './invites-store.ts'

export const memberUserDto = (user: {
  id: string
  email: string | null
  name: string
  full_name: string
  avatar_url: string
}): MemberUser => ({
  id: user.id,
  email: user.email ?? '',
  name: user.name,
  full_name: user.full_name,
  avatar_url: user.avatar_url,
})

const isOver = (row: InviteRow, now: Date): boolean => Date.parse(row.expires_at) <= now.getTime()

/** An unanswered invite is expired even before its row is updated. */
export const inviteStatus = (row: InviteRow, now: Date): Invite['status'] =>
  row.status === 'pending' && isOver(row, now) ? 'expired' : row.status

export const inviteDto = (row: InviteRow, now: Date): Invite => ({
  id: row.id,
  team_id: row.team_id,
  email: row.email,
  role: row.role,
  status: inviteStatus(row, now),
  expires_at: row.expires_at,
  created_at: row.created_at,
  invited_by: {
    id: row.invited_by,
    email: row.inviter_email ?? '',
    name: row.inviter_name,
    full_name: row.inviter_full_name,
    avatar_url: row.inviter_avatar_url,
  },
  team: {
    id: row.team_id,
    created_at: row.team_created_at,
    updated_at: row.team_updated_at,
    type: row.team_type,
    username: row.team_username,
    name: row.team_name,
    avatar_url: row.team_avatar_url,
    setup_completed: row.team_setup_completed,
  },
})

/** The fields that a bearer of the link may read before signing in. */
export const inviteInfoDto = (row: InviteRow, now: Date): InviteInfo => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: inviteStatus(row, now),
  expires_at: row.expires_at,
  team: { id: row.team_id, type: row.team_type, name: row.team_name, avatar_url: row.team_avatar_url },
  ...(row.org_name === null ? {} : { org_name: row.org_name }),
  invited_by: row.inviter_full_name || row.inviter_name,
})
