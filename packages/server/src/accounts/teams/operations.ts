// HTTP operations of workspaces, members, and the caller's profile. The role is checked in the workspace that the path
// names, so the rules check it and not the declaration.
import { IdPath, Success } from '@millrace/contract/common'
import { Me } from '@millrace/contract/identity'
import {
  AddMember,
  CreateTeam,
  MemberPath,
  SetMemberRole,
  SetupTeam,
  Team,
  TeamMember,
  TeamView,
  UpdateMe,
  UpdateTeam,
  User,
  UsernameAvailability,
  UsernameQuery,
} from '@millrace/contract/teams'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as me from './me.ts'
import * as members from './members.ts'
import * as teams from './teams.ts'

const profile = [
  operation({
    name: 'me.get',
    route: 'GET /me',
    summary: 'The caller and its workspace',
    scope: 'authenticated',
    reply: Me,
    run: (ctx) => me.readMe(ctx),
  }),
  operation({
    name: 'auth.me',
    route: 'GET /auth/me',
    summary: 'The signed-in person and workspace; sign-ins only',
    scope: 'authenticated',
    reply: Me,
    fails: ['requires_sign_in'],
    run: (ctx) => me.readSignedIn(ctx),
  }),
  operation({
    name: 'me.update',
    route: 'POST /me',
    summary: "Change the caller's own name, picture or default workspace",
    scope: 'user:write',
    body: UpdateMe,
    reply: User,
    run: (ctx, { body }) => me.updateMe(ctx, body),
  }),
]

const workspaces = [
  operation({
    name: 'teams.list',
    route: 'GET /teams',
    summary: 'The workspaces of the caller; a key sees its own',
    scope: 'teams:read',
    reply: Type.Array(Team),
    run: (ctx) => teams.listTeams(ctx),
  }),
  operation({
    name: 'teams.check_username',
    route: 'GET /teams/check-username',
    summary: 'Check whether a workspace username is available',
    scope: 'authenticated',
    query: UsernameQuery,
    reply: UsernameAvailability,
    run: (ctx, { query }) => teams.checkUsername(ctx, query.username),
  }),
  operation({
    name: 'teams.get',
    route: 'GET /teams/:id',
    summary: 'One workspace',
    scope: 'teams:read',
    path: IdPath,
    reply: Team,
    fails: ['not_found'],
    run: (ctx, { path }) => teams.getTeam(ctx, path.id),
  }),
  operation({
    name: 'teams.view',
    route: 'GET /teams/:id/view',
    summary: "The kind of a workspace, its governing organization, and the caller's capabilities",
    scope: 'teams:read',
    path: IdPath,
    reply: TeamView,
    fails: ['not_found'],
    run: (ctx, { path }) => teams.viewTeam(ctx, path.id),
  }),
  operation({
    name: 'teams.create',
    route: 'POST /teams',
    summary: 'Create a workspace owned by the caller',
    scope: 'teams:write',
    body: CreateTeam,
    reply: Team,
    fails: ['conflict', 'team_role_required'],
    run: (ctx, { body }) => teams.openTeam(ctx, body),
  }),
  operation({
    name: 'teams.update',
    route: 'POST /teams/:id',
    summary: 'Change the name, address or picture of a workspace; its username until set-up is complete',
    scope: 'teams:write',
    path: IdPath,
    body: UpdateTeam,
    reply: Team,
    fails: ['not_found', 'team_role_required', 'conflict'],
    run: (ctx, { path, body }) => teams.updateTeam(ctx, path.id, body),
  }),
  operation({
    name: 'teams.set_up',
    route: 'POST /teams/:id/setup',
    summary: 'Choose the final username of a workspace',
    scope: 'teams:write',
    path: IdPath,
    body: SetupTeam,
    reply: Team,
    fails: ['not_found', 'team_role_required', 'conflict', 'invalid_state'],
    run: (ctx, { path, body }) => teams.setUpTeam(ctx, path.id, body.username),
  }),
  operation({
    name: 'teams.archive',
    route: 'DELETE /teams/:id',
    summary: 'Archive a workspace; its keys and invites end',
    scope: 'teams:write',
    path: IdPath,
    reply: Success,
    fails: ['not_found', 'team_role_required'],
    run: async (ctx, { path }) => {
      await teams.archiveTeam(ctx, path.id)
      return { success: true }
    },
  }),
]

const memberships = [
  operation({
    name: 'members.list',
    route: 'GET /teams/:id/members',
    summary: 'The members of a workspace',
    scope: 'teams:read',
    path: IdPath,
    reply: Type.Array(TeamMember),
    fails: ['not_found'],
    run: (ctx, { path }) => members.listMembers(ctx, path.id),
  }),
  operation({
    name: 'members.add',
    route: 'POST /teams/:id/members',
    summary: 'Add a person who has an account; others need an invite',
    scope: 'teams:write',
    path: IdPath,
    body: AddMember,
    reply: TeamMember,
    fails: ['not_found', 'team_role_required', 'already_exists', 'limit_exceeded', 'feature_not_available'],
    run: (ctx, { path, body }) => members.addMemberByEmail(ctx, path.id, body.email, body.role),
  }),
  operation({
    name: 'members.remove',
    route: 'DELETE /teams/:id/members/:userId',
    summary: 'Remove a member, or leave; their personal keys of the workspace end',
    scope: 'teams:write',
    path: MemberPath,
    reply: Success,
    fails: ['not_found', 'team_role_required'],
    run: async (ctx, { path }) => {
      await members.removeMember(ctx, path.id, path.userId)
      return { success: true }
    },
  }),
  operation({
    name: 'members.set_role',
    route: 'POST /teams/:id/members/:userId/role',
    summary: 'Change the role of a member',
    scope: 'teams:write',
    path: MemberPath,
    body: SetMemberRole,
    reply: TeamMember,
    fails: ['not_found', 'team_role_required'],
    run: (ctx, { path, body }) => members.setMemberRole(ctx, path.id, path.userId, body.role),
  }),
]

export const teamOperations = [...profile, ...workspaces, ...memberships]
