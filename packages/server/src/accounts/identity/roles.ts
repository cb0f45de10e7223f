// Permissions of roles in a workspace. The console shows its controls from these lists; operations name the required
// one. Pure.
import type { TeamRole } from '#platform/core/actor.ts'

export const teamRoles = ['owner', 'admin', 'member'] as const satisfies readonly TeamRole[]

export const capabilities = [
  'edit_profile',
  'manage_members',
  'view_members',
  'create_keys',
  'manage_keys',
  'manage_vault',
  'view_billing',
  'manage_billing',
  'view_policy',
  'manage_policy',
  'manage_org',
  'manage_sso',
  'archive',
  'create_team',
  'create_org',
  'connect_org_credential',
  'connect_platform_credential',
] as const
export type Capability = (typeof capabilities)[number]

/** `org_member` is a workspace attached to an organization, `org` the organization's own workspace. */
export type TeamKind = 'personal' | 'team' | 'org_member' | 'org'

export type Position = {
  /** Null for an organization admin who is not a member of the attached workspace. */
  readonly role: TeamRole | null
  readonly kind: TeamKind
  /** False for a service account, which represents workspace keys. */
  readonly isPerson: boolean
  readonly orgAdmin: boolean
  /** The sign-in has platform rights. */
  readonly platformAdmin: boolean
  readonly inPlatformTeam: boolean
}

export const teamKind = (team: { type: 'personal' | 'team' | 'system' | 'org'; orgId: string | null }): TeamKind => {
  if (team.type === 'personal' || team.type === 'org') return team.type
  return team.orgId === null ? 'team' : 'org_member'
}

/** The rule of each capability, for callers who may act in the workspace. */
const rules: Record<Capability, (at: Position) => boolean> = {
  edit_profile: (at) => isAdmin(at),
  manage_members: (at) => isAdmin(at) && at.kind !== 'personal',
  view_members: (at) => at.kind !== 'personal',
  create_keys: (at) => at.isPerson && at.role !== null,
  // A personal workspace has no workspace keys and no keys of others.
  manage_keys: (at) => isAdmin(at) && at.kind !== 'personal',
  manage_vault: (at) => isAdmin(at),
  view_billing: () => true,
  manage_billing: (at) => governs(at),
  view_policy: () => true,
  manage_policy: (at) => governs(at),
  manage_org: (at) => at.isPerson && at.orgAdmin && at.kind === 'org',
  // The operator configures single sign-on for the whole deployment.
  manage_sso: () => false,
  archive: (at) => at.isPerson && at.role === 'owner' && at.kind !== 'personal' && !at.inPlatformTeam,
  create_team: (at) => at.isPerson,
  create_org: (at) => at.isPerson && at.platformAdmin,
  connect_org_credential: (at) => at.isPerson && at.orgAdmin && at.kind === 'org',
  connect_platform_credential: (at) => at.isPerson && at.platformAdmin && at.inPlatformTeam,
}

const isAdmin = (at: Position): boolean => at.isPerson && (at.role === 'owner' || at.role === 'admin')

/** The organization controls money and policies of its attached workspaces. */
const governs = (at: Position): boolean => (at.kind === 'org_member' ? at.isPerson && at.orgAdmin : isAdmin(at))

const actsHere = (at: Position): boolean =>
  at.role !== null || !at.isPerson || (at.orgAdmin && (at.kind === 'org' || at.kind === 'org_member'))

/** The `can` list of a workspace view. */
export const capabilitiesOf = (at: Position): Capability[] =>
  actsHere(at) ? capabilities.filter((capability) => rules[capability](at)) : []

export const can = (at: Position, capability: Capability): boolean => actsHere(at) && rules[capability](at)

/**
 * Roles that an actor may give to a member; empty when the actor may not change this member. Only owners change owners.
 */
export const assignableRoles = (actor: TeamRole, target: TeamRole, kind: TeamKind): TeamRole[] => {
  if (kind === 'personal' || actor === 'member') return []
  if (actor === 'owner') return [...teamRoles]
  return target === 'owner' ? [] : ['admin', 'member']
}

export type RemovalRefusal = 'personal_team' | 'last_owner' | 'role'

/** Why a member cannot be removed from a workspace; null when they can. Everyone may leave except the last owner. */
export const refuseRemoval = (removal: {
  actor: TeamRole
  target: TeamRole
  self: boolean
  ownerCount: number
  kind: TeamKind
}): RemovalRefusal | null => {
  if (removal.kind === 'personal') return 'personal_team'
  if (!removal.self && removal.actor === 'member') return 'role'
  if (!removal.self && removal.target === 'owner' && removal.actor !== 'owner') return 'role'
  return removal.target === 'owner' && removal.ownerCount <= 1 ? 'last_owner' : null
}

/** A workspace needs an owner, so the last one cannot get a lower role. */
export const wouldLeaveNoOwner = (from: TeamRole, to: TeamRole, ownerCount: number): boolean =>
  from === 'owner' && to !== 'owner' && ownerCount <= 1
