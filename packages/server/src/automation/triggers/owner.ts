// A trigger acts as its owner, with at most the permissions of the credentials that created or narrowed it. Pure.
import type { Grant } from '@millrace/contract/scopes'
import type { Member } from '#platform/core/actor.ts'
import { type Failure, fail } from '#platform/core/errors.ts'
import type { OwnedTrigger } from './store.ts'

/** The actor of a trigger's runs, or the reason why it can no longer act. */
export const ownerOf = (trigger: OwnedTrigger): Member | Failure => {
  const isPerson = trigger.owner_service_team_id === null
  if (trigger.team_status !== 'active' || trigger.team_deleted_at !== null)
    return fail('forbidden', 'The workspace of the trigger is suspended or deleted')
  if (trigger.owner_banned_at !== null || trigger.owner_deleted_at !== null)
    return fail('forbidden', 'The account of the trigger’s owner is suspended or deleted')
  // Like a personal key, a person's trigger stops with the membership.
  if (isPerson && trigger.owner_role === null)
    return fail('forbidden', 'The owner of the trigger is no longer a member of the workspace')
  return {
    kind: 'run',
    credentialId: trigger.id,
    userId: trigger.user_id,
    teamId: trigger.team_id,
    role: trigger.owner_role ?? 'member',
    isPerson,
    personalTeam: trigger.team_type === 'personal',
    orgId: trigger.org_id,
    orgAdmin: false,
    grant: trigger.run_as as Grant,
    platform: 'not_staff',
    inPlatformTeam: trigger.is_platform,
    expiresAtMs: null,
  }
}
