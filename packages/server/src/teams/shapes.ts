// Rows as the wire shows them. Pure.
import { shortId } from '@millrace/contract/ids'
import type { Invite, InviteInfo, MemberUser, Team, User, UserMetadata } from '@millrace/contract/teams'
import type { TeamRole } from '../core/actor.ts'
import type { InviteRow } from './invites-store.ts'
import type { TeamRow, UserRow } from './store.ts'

const baseOf = (row: { id: string; created_at: string; updated_at: string; deleted_at: string | null }) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
})

/** What sign-up and onboarding wrote down; absent until they did. */
const metadataOf = (row: UserRow): { metadata?: UserMetadata } => {
  const stored = (row.metadata ?? {}) as Partial<UserMetadata>
  if (Object.keys(stored).length === 0) return {}
  return {
    metadata: {
      completed_onboarding: false,
      use_case: '',
      use_case_reason: '',
      use_case_privacy: '',
      signup_source: '',
      terms_version: '',
      ...stored,
      user_id: row.id,
    },
  }
}

export const toUser = (row: UserRow): User => ({
  ...baseOf(row),
  default_team_id: row.default_team_id ?? '',
  role: row.role,
  email: row.email ?? '',
  name: row.name,
  full_name: row.full_name,
  avatar_url: row.avatar_url,
  totp_enabled: row.totp_confirmed_at !== null,
  ...(row.managed_by_org_id === null ? {} : { managed_by_org_id: row.managed_by_org_id }),
  ...(row.banned_at === null ? {} : { banned_at: row.banned_at }),
  ...(row.ban_note === null ? {} : { ban_note: row.ban_note }),
  ...metadataOf(row),
})

/** `role` is the caller's; null for a workspace key and for an organization's admin who is no member. */
export const toTeam = (row: TeamRow, role: TeamRole | null): Team => ({
  ...baseOf(row),
  type: row.type,
  name: row.name,
  username: row.username,
  avatar_url: row.avatar_url,
  email: row.email,
  setup_completed: row.setup_completed,
  max_concurrency: row.max_concurrency,
  status: row.status,
  ...(role === null ? {} : { role }),
  ...(row.org_id === null ? {} : { org_id: row.org_id }),
})

export const toMemberUser = (user: {
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

/** An invite nobody answered in time is expired, whether or not its row says so yet. */
export const inviteStatus = (row: InviteRow, now: Date): Invite['status'] =>
  row.status === 'pending' && isOver(row, now) ? 'expired' : row.status

export const toInvite = (row: InviteRow, now: Date): Invite => ({
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

/** What a bearer of the link may know before signing in. */
export const toInviteInfo = (row: InviteRow, now: Date): InviteInfo => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: inviteStatus(row, now),
  expires_at: row.expires_at,
  team: { id: row.team_id, type: row.team_type, name: row.team_name, avatar_url: row.team_avatar_url },
  ...(row.org_name === null ? {} : { org_name: row.org_name }),
  invited_by: row.inviter_full_name || row.inviter_name,
})
