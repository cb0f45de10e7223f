// Schemas of people, workspaces, members, invites and organizations.
import Type, { type Static } from 'typebox'
import { baseFields, IdPath, Nullable, PageOf, PathText, StringEnum, TeamRelation, Timestamp } from './common.ts'

export const teamRoles = ['owner', 'admin', 'member'] as const
export const TeamRole = StringEnum(teamRoles)

const UserMetadata = Type.Object({
  user_id: Type.String(),
  completed_onboarding: Type.Boolean(),
  use_case: Type.String(),
  use_case_reason: Type.String(),
  use_case_privacy: Type.String(),
  signup_source: Type.String(),
  terms_accepted_at: Type.Optional(Timestamp),
  terms_version: Type.String(),
})
export type UserMetadata = Static<typeof UserMetadata>

export const User = Type.Object({
  ...baseFields,
  default_team_id: Type.String(),
  role: StringEnum(['guest', 'user', 'admin', 'system']),
  email: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  avatar_url: Type.String(),
  totp_enabled: Type.Boolean(),
  managed_by_org_id: Type.Optional(Type.String()),
  banned_at: Type.Optional(Timestamp),
  ban_note: Type.Optional(Type.String()),
  metadata: Type.Optional(UserMetadata),
})
export type User = Static<typeof User>

export const Team = Type.Object({
  ...baseFields,
  type: StringEnum(['personal', 'team', 'system', 'org']),
  name: Type.String(),
  username: Type.String(),
  avatar_url: Type.String(),
  email: Type.String(),
  setup_completed: Type.Boolean(),
  default_visibility: StringEnum(['private', 'team'], {
    description: 'The visibility of new apps, flows, agents, knowledge entries, artifacts and projects',
  }),
  max_concurrency: Type.Integer(),
  status: StringEnum(['active', 'suspended', 'terminated']),
  role: Type.Optional(StringEnum(teamRoles, { description: 'The role of the caller' })),
  org_id: Type.Optional(Type.String()),
  usage_policy_id: Type.Optional(Type.String()),
})
export type Team = Static<typeof Team>

export const OrgRelation = Type.Object({ id: Type.String(), name: Type.String() })

/** The workspace or organization that governs money or policy. */
const Governor = Type.Object({ by: StringEnum(['team', 'org']), team_id: Type.String() })

export const TeamView = Type.Object({
  team_id: Type.String(),
  kind: StringEnum(['personal', 'team', 'org_member', 'org']),
  org: Type.Optional(OrgRelation),
  governance: Type.Object({ billing: Governor, policy: Governor }),
  can: Type.Array(Type.String(), { description: 'Capabilities of the caller' }),
})
export type TeamView = Static<typeof TeamView>

export const MemberUser = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  avatar_url: Type.String(),
})
export type MemberUser = Static<typeof MemberUser>

export const TeamMember = Type.Object({
  id: Type.String(),
  user_id: Type.String(),
  team_id: Type.String(),
  role: TeamRole,
  user: Type.Optional(MemberUser),
  assignable_roles: Type.Optional(Type.Array(TeamRole)),
  removable: Type.Optional(Type.Boolean()),
})
export type TeamMember = Static<typeof TeamMember>

export const InviteStatus = StringEnum(['pending', 'accepted', 'declined', 'expired', 'revoked'])

export const Invite = Type.Object({
  id: Type.String(),
  team_id: Type.String(),
  email: Type.String(),
  role: TeamRole,
  status: InviteStatus,
  expires_at: Timestamp,
  created_at: Timestamp,
  invited_by: Type.Optional(MemberUser),
  team: Type.Optional(Type.Object({ ...TeamRelation.properties, name: Type.String() })),
})
export type Invite = Static<typeof Invite>

export const InviteInfo = Type.Object({
  id: Type.String(),
  email: Type.String(),
  role: TeamRole,
  status: InviteStatus,
  expires_at: Timestamp,
  team: Type.Object({ id: Type.String(), type: Type.String(), name: Type.String(), avatar_url: Type.String() }),
  org_name: Type.Optional(Type.String()),
  invited_by: Type.String({ description: 'Name of the inviting person' }),
})
export type InviteInfo = Static<typeof InviteInfo>

export const UsernameAvailability = Type.Object({
  value: Type.String({ description: 'The normalized form' }),
  available: Type.Boolean(),
  reason: Type.Optional(StringEnum(['taken', 'reserved'])),
})

export const MyStats = Type.Object({
  knowledge_count: Type.Integer(),
  skills_count: Type.Integer(),
  extracted: Type.Object({ today: Type.Integer(), this_week: Type.Integer(), all_time: Type.Integer() }),
})
export type MyStats = Static<typeof MyStats>

const DisplayName = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const Email = Type.String({ maxLength: 254 })
/** Empty, or a URL that a browser can display without executing it. */
const ImageUrl = Type.String({ maxLength: 2048, pattern: '^(https?://\\S+)?$' })
const Username = Type.String({ minLength: 1, maxLength: 64 })

export const UpdateMe = Type.Object({
  name: Type.Optional(DisplayName),
  full_name: Type.Optional(Type.String({ maxLength: 200 })),
  avatar_url: Type.Optional(ImageUrl),
  default_team_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})
export type UpdateMe = Static<typeof UpdateMe>

const DefaultVisibility = Type.Optional(StringEnum(['private', 'team']))
export const CreateTeam = Type.Object({
  name: DisplayName,
  username: Username,
  email: Type.Optional(Email),
  default_visibility: DefaultVisibility,
})
export type CreateTeam = Static<typeof CreateTeam>

export const UpdateTeam = Type.Object({
  name: Type.Optional(DisplayName),
  email: Type.Optional(Email),
  avatar_url: Type.Optional(ImageUrl),
  username: Type.Optional(Username),
  default_visibility: DefaultVisibility,
})
export type UpdateTeam = Static<typeof UpdateTeam>

export const SetupTeam = Type.Object({ username: Username })

export const UsernameQuery = Type.Object({ username: Type.String({ minLength: 1, maxLength: 256 }) })

export const AddMember = Type.Object({ email: Email, role: TeamRole })
export const SetMemberRole = Type.Object({ role: TeamRole })
export const MemberPath = Type.Object({ ...IdPath.properties, userId: PathText })

export const CreateInvite = AddMember
export const InvitePath = Type.Object({ ...IdPath.properties, inviteId: PathText })
export const InviteTokenQuery = Type.Object({ token: Type.String({ minLength: 1, maxLength: 128 }) })
export const AnswerInvite = Type.Object({ token: Type.Optional(Type.String({ maxLength: 128 })) })

export const Organization = Type.Object({
  ...baseFields,
  name: Type.String(),
  team_id: Nullable(Type.String({ description: "The organization's own workspace" })),
})
export type Organization = Static<typeof Organization>

export const OrganizationPage = PageOf(Type.Partial(Organization))

export const CreateOrganization = Type.Object({ name: DisplayName, username: Username })
export type CreateOrganization = Static<typeof CreateOrganization>

export const AttachTeam = Type.Object({ team_id: Type.String({ minLength: 1, maxLength: 64 }) })
export const OrganizationTeamPath = Type.Object({
  ...IdPath.properties,
  teamId: PathText,
})

export const OrganizationAdmin = Type.Object({ user_id: Type.String(), created_at: Timestamp, user: MemberUser })
export const AddOrganizationAdmin = Type.Object({ email: Email })
