// The caller. Built once per request from the credential, then passed down inside the context.
import type { Grant } from '@millrace/contract/scopes'

export type TeamRole = 'owner' | 'admin' | 'member'

/** Access to platform administration; every value except `powered` names the refusal. */
export type PlatformStatus =
  | 'not_staff'
  | 'powered'
  | 'admin_session_required'
  | 'admin_authenticator_required'
  | 'otp_required'

export type Guest = { readonly kind: 'guest' }

/** The server itself: loops, sweeps and jobs. */
export type System = { readonly kind: 'system' }

export type Member = {
  readonly kind: 'key' | 'session' | 'browser' | 'run' | 'operator' | 'system'
  /** Id of the key, session or run that authenticated the call. */
  readonly credentialId: string
  readonly userId: string
  readonly teamId: string
  readonly role: TeamRole
  /** False for the service account behind a workspace key. */
  readonly isPerson: boolean
  readonly personalTeam: boolean
  readonly orgId: string | null
  readonly orgAdmin: boolean
  readonly grant: Grant
  readonly platform: PlatformStatus
  /** Active in the platform's own workspace, the only one where store scopes apply. */
  readonly inPlatformTeam: boolean
  /** When the credential expires, in milliseconds since the epoch; null when it does not expire. */
  readonly expiresAtMs: number | null
}

export type Actor = Guest | System | Member

export const guest: Guest = { kind: 'guest' }

export const system: System = { kind: 'system' }

export const isMember = (actor: Actor): actor is Member => 'teamId' in actor

const rank: Record<TeamRole, number> = { member: 0, admin: 1, owner: 2 }

export const hasRole = (actor: Actor, role: TeamRole): boolean => isMember(actor) && rank[actor.role] >= rank[role]

export const isTeamAdmin = (actor: Actor): boolean => hasRole(actor, 'admin')

export const isPlatformAdmin = (actor: Actor): boolean => isMember(actor) && actor.platform === 'powered'

/**
 * The person that a call counts for in fair queues, in any workspace. Engines that serve all workspaces authenticate in
 * the platform's own workspace and count for no person.
 */
export const personOf = (actor: Actor): string | null =>
  isMember(actor) && !actor.inPlatformTeam ? actor.userId : null
