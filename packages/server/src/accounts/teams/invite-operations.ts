// HTTP operations of invites: a workspace's invites for its admins, a person's own invites for that person.
import { IdPath } from '@millrace/contract/common'
import {
  AnswerInvite,
  CreateInvite,
  Invite,
  InviteInfo,
  InvitePath,
  InviteTokenQuery,
  TeamMember,
} from '@millrace/contract/teams'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as invites from './invites.ts'

export const acceptOperation = operation({
  name: 'invites.accept',
  route: 'POST /invites/:id/accept',
  summary: 'Become a member',
  scope: 'user:write',
  path: IdPath,
  body: AnswerInvite,
  reply: TeamMember,
  fails: ['not_found', 'invite_invalid', 'limit_exceeded', 'feature_not_available'],
  run: (ctx, { path, body }) => invites.acceptInvite(ctx, path.id, body.token),
})

export const declineOperation = operation({
  name: 'invites.decline',
  route: 'POST /invites/:id/decline',
  summary: 'Decline an invite',
  scope: 'user:write',
  path: IdPath,
  body: AnswerInvite,
  reply: Invite,
  fails: ['not_found', 'invite_invalid'],
  run: (ctx, { path, body }) => invites.declineInvite(ctx, path.id, body.token),
})

export const inviteOperations = [
  operation({
    name: 'team_invites.list',
    route: 'GET /teams/:id/invites',
    summary: 'The invites of a workspace, newest first',
    scope: 'teams:read',
    path: IdPath,
    reply: Type.Array(Invite),
    fails: ['not_found', 'team_role_required'],
    run: (ctx, { path }) => invites.listTeamInvites(ctx, path.id),
  }),
  operation({
    name: 'team_invites.create',
    route: 'POST /teams/:id/invites',
    summary: 'Invite a person by mail; a pending invite of the same mailbox is renewed',
    scope: 'teams:write',
    path: IdPath,
    body: CreateInvite,
    reply: Invite,
    fails: ['not_found', 'team_role_required', 'already_exists', 'limit_exceeded', 'feature_not_available'],
    run: (ctx, { path, body }) => invites.createInvite(ctx, path.id, body.email, body.role),
  }),
  operation({
    name: 'team_invites.revoke',
    route: 'DELETE /teams/:id/invites/:inviteId',
    summary: 'Withdraw a pending invite',
    scope: 'teams:write',
    path: InvitePath,
    reply: Invite,
    fails: ['not_found', 'team_role_required', 'invite_invalid'],
    run: (ctx, { path }) => invites.revokeInvite(ctx, path.id, path.inviteId),
  }),
  operation({
    name: 'invites.list',
    route: 'GET /invites',
    summary: "The caller's own pending invites",
    scope: 'user:read',
    reply: Type.Array(Invite),
    run: (ctx) => invites.listMyInvites(ctx),
  }),
  operation({
    name: 'invites.info',
    route: 'GET /invites/info',
    summary: 'The workspace and inviter of a mailed invite',
    scope: 'public',
    query: InviteTokenQuery,
    reply: InviteInfo,
    fails: ['not_found'],
    run: (ctx, { query }) => invites.inviteInfo(ctx, query.token),
  }),
  acceptOperation,
  declineOperation,
]
