// Maps people and workspaces to their wire form. Pure.
import { shortId } from '@millrace/contract/ids'
import type { Team, User, UserMetadata } from '@millrace/contract/teams'
import type { TeamRole } from '#platform/core/actor.ts'
import type { Account, Team as TeamRow } from './accounts/accounts.ts'

const baseOf = (row: { id: string; created_at: string; updated_at: string; deleted_at: string | null }) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
})

/** Written by sign-up and onboarding; absent before. */
const metadataOf = (row: Account): { metadata?: UserMetadata } => {
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

export const userDto = (row: Account): User => ({
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

/** `role` is the caller's; null for a workspace key and for an organization admin who is not a member. */
export const teamDto = (row: TeamRow, role: TeamRole | null): Team => ({
  ...baseOf(row),
  type: row.type,
  name: row.name,
  username: row.username,
  avatar_url: row.avatar_url,
  email: row.email,
  setup_completed: row.setup_completed,
  default_visibility: row.default_visibility,
  max_concurrency: row.max_concurrency,
  status: row.status,
  ...(role === null ? {} : { role }),
  ...(row.org_id === null ? {} : { org_id: row.org_id }),
  ...(row.usage_policy_id === null ? {} : { usage_policy_id: row.usage_policy_id }),
})
