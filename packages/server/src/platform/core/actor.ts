// Who is calling. Built once per request from the credential, then handed down inside the context.
import type { Grant } from '@millrace/contract/scopes'

export type TeamRole = 'owner' | 'admin' | 'member'

/** How a caller stands towards platform administration; anything but `powered` names the refusal it gets. */
export type PlatformStanding =
  | 'not_staff'
  | 'powered'
  | 'admin_session_required'
  | 'admin_authenticator_required'
  | 'otp_required'

export type Guest = { readonly kind: 'guest' }

/** Loops, sweeps and jobs: the server itself, on nobody's behalf. */
export type System = { readonly kind: 'system' }

export type Member = {
  readonly kind: 'key' | 'session' | 'browser' | 'run' | 'operator' | 'system'
  /** Id of the key, session or run that speaks. */
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
  readonly platform: PlatformStanding
  /** Acting in the platform's own workspace: the only place where store scopes live. */
  readonly inPlatformTeam: boolean
  /** When the credential ends, as milliseconds since the epoch; null when it does not. */
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
 * The person whose shares a call counts for, whatever the workspace. Engines that serve all workspaces speak from the platform's
 * own workspace and count for nobody.
 */
export const personOf = (actor: Actor): string | null =>
  isMember(actor) && !actor.inPlatformTeam ? actor.userId : null
