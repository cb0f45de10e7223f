// The doors of workspaces, their members, and one's own profile. A role is asked for in the workspace that the path
// names, so it is the rules that check it, not the declaration.
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
    door: 'GET /me',
    summary: 'Who is calling, and in which workspace',
    scope: 'authenticated',
    reply: Me,
    run: (ctx) => me.readMe(ctx),
  }),
  operation({
    name: 'auth.me',
    door: 'GET /auth/me',
    summary: 'Who is signed in, and in which workspace; sign-ins only',
    scope: 'authenticated',
    reply: Me,
    fails: ['requires_sign_in'],
    run: (ctx) => me.readSignedIn(ctx),
  }),
  operation({
    name: 'me.update',
    door: 'POST /me',
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
    door: 'GET /teams',
    summary: 'The workspaces of the caller; a key sees its own',
    scope: 'teams:read',
    reply: Type.Array(Team),
    run: (ctx) => teams.listTeams(ctx),
  }),
  operation({
    name: 'teams.check_username',
    door: 'GET /teams/check-username',
    summary: 'Is a workspace username free?',
    scope: 'authenticated',
    query: UsernameQuery,
    reply: UsernameAvailability,
    run: (ctx, { query }) => teams.checkUsername(ctx, query.username),
  }),
  operation({
    name: 'teams.get',
    door: 'GET /teams/:id',
    summary: 'One workspace',
    scope: 'teams:read',
    path: IdPath,
    reply: Team,
    fails: ['not_found'],
    run: (ctx, { path }) => teams.getTeam(ctx, path.id),
  }),
  operation({
    name: 'teams.view',
    door: 'GET /teams/:id/view',
    summary: 'What kind of workspace it is, who governs it, and what the caller can do in it',
    scope: 'teams:read',
    path: IdPath,
    reply: TeamView,
    fails: ['not_found'],
    run: (ctx, { path }) => teams.viewTeam(ctx, path.id),
  }),
  operation({
    name: 'teams.create',
    door: 'POST /teams',
    summary: 'Make a workspace that the caller owns',
    scope: 'teams:write',
    body: CreateTeam,
    reply: Team,
    fails: ['conflict', 'team_role_required'],
    run: (ctx, { body }) => teams.openTeam(ctx, body),
  }),
  operation({
    name: 'teams.update',
    door: 'POST /teams/:id',
    summary: "Change a workspace's name, address or picture; its username until it is set up",
    scope: 'teams:write',
    path: IdPath,
    body: UpdateTeam,
    reply: Team,
    fails: ['not_found', 'team_role_required', 'conflict'],
    run: (ctx, { path, body }) => teams.updateTeam(ctx, path.id, body),
  }),
  operation({
    name: 'teams.set_up',
    door: 'POST /teams/:id/setup',
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
    door: 'DELETE /teams/:id',
    summary: 'Archive a workspace: its keys and invites end',
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
    door: 'GET /teams/:id/members',
    summary: 'The members of a workspace',
    scope: 'teams:read',
    path: IdPath,
    reply: Type.Array(TeamMember),
    fails: ['not_found'],
    run: (ctx, { path }) => members.listMembers(ctx, path.id),
  }),
  operation({
    name: 'members.add',
    door: 'POST /teams/:id/members',
    summary: 'Add somebody who has an account; everybody else gets an invite',
    scope: 'teams:write',
    path: IdPath,
    body: AddMember,
    reply: TeamMember,
    fails: ['not_found', 'team_role_required', 'already_exists', 'limit_exceeded', 'feature_not_available'],
    run: (ctx, { path, body }) => members.addMemberByEmail(ctx, path.id, body.email, body.role),
  }),
  operation({
    name: 'members.remove',
    door: 'DELETE /teams/:id/members/:userId',
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
    door: 'POST /teams/:id/members/:userId/role',
    summary: 'Give a member another role',
    scope: 'teams:write',
    path: MemberPath,
    body: SetMemberRole,
    reply: TeamMember,
    fails: ['not_found', 'team_role_required'],
    run: (ctx, { path, body }) => members.setMemberRole(ctx, path.id, path.userId, body.role),
  }),
]

export const teamOperations = [...profile, ...workspaces, ...memberships]
