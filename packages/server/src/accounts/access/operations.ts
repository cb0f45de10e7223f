// The doors of access. The rules are in the files they name.
import { ApiKey, AuditCheck, AuditEntry, CreateApiKey, RotateApiKey, ScopeCatalog } from '@millrace/contract/access'
import { IdPath, ListRequest, PageOf } from '@millrace/contract/common'
import { holds, scopeCatalogFor, storeScopes } from '@millrace/contract/scopes'
import Type from 'typebox'
import { hasRole, isMember } from '#platform/core/actor.ts'
import { operation } from '#platform/core/operation.ts'
import { checkAudit, listAudit } from './audit-log.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'

export const accessOperations = [
  operation({
    name: 'scopes.list',
    door: 'GET /scopes',
    summary: 'The scopes, groups and presets this caller may choose from',
    scope: 'optional',
    reply: ScopeCatalog,
    run: ({ actor }) =>
      scopeCatalogFor({
        engineScopes: hasRole(actor, 'admin') || (isMember(actor) && actor.platform !== 'not_staff'),
        storeScopes: isMember(actor) ? storeScopes.filter((scope) => holds(actor.grant, scope, actor)) : [],
        staff: isMember(actor) && actor.platform !== 'not_staff',
      }),
  }),
  operation({
    name: 'apikeys.list',
    door: ['GET /apikeys', 'POST /apikeys/list'],
    summary: 'Keys of the workspace, masked; members see their own personal ones',
    scope: 'apikeys:read',
    capability: 'create_keys',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(ApiKey)),
    run: (ctx, { body }) => listKeys(ctx, body),
  }),
  operation({
    name: 'apikeys.create',
    door: 'POST /apikeys',
    summary: 'Make a key; its value is in this answer and nowhere else',
    scope: 'apikeys:write',
    // A workspace key needs `manage_keys` too: the key's own rules check it, after those that are the same for everyone.
    capability: 'create_keys',
    body: CreateApiKey,
    reply: ApiKey,
    fails: [
      'validation_error',
      'insufficient_scope',
      'team_role_required',
      'forbidden',
      'limit_exceeded',
      'feature_not_available',
    ],
    run: (ctx, { body }) => createKey(ctx, body),
  }),
  operation({
    name: 'apikeys.revoke',
    door: 'DELETE /apikeys/:id',
    summary: 'Revoke a key at once',
    scope: 'apikeys:write',
    capability: 'create_keys',
    path: IdPath,
    reply: ApiKey,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => revokeKey(ctx, path.id),
  }),
  operation({
    name: 'apikeys.rotate',
    door: 'POST /apikeys/:id/rotate',
    summary: 'Give a key a new value; the old one stays valid for a grace',
    scope: 'apikeys:write',
    capability: 'create_keys',
    path: IdPath,
    body: RotateApiKey,
    reply: ApiKey,
    fails: ['not_found', 'forbidden', 'insufficient_scope', 'invalid_state'],
    run: (ctx, { path, body }) => rotateKey(ctx, path.id, body),
  }),
  operation({
    name: 'audit.list',
    door: ['GET /audit-log', 'POST /audit-log/list'],
    summary: 'What happened in the workspace, and who did it',
    scope: 'teams:read',
    role: 'admin',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(AuditEntry)),
    run: (ctx, { body }) => listAudit(ctx, body),
  }),
  operation({
    name: 'audit.verify',
    door: 'POST /audit-log/verify',
    summary: 'Check the whole audit log against its chain and its signed witnesses',
    scope: 'teams:read',
    role: 'admin',
    reply: AuditCheck,
    // The log is walked in a transaction of its own, and as it is now.
    replay: 'never',
    run: (ctx) => checkAudit(ctx),
  }),
]
