// HTTP operations of access. The rules are in the imported files.
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
    route: 'GET /scopes',
    summary: 'Scopes, groups and presets available to the caller',
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
    route: ['GET /apikeys', 'POST /apikeys/list'],
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
    route: 'POST /apikeys',
    summary: 'Create a key; its value is returned only once',
    scope: 'apikeys:write',
    // A workspace key also needs `manage_keys`, which the key rules check after the general checks.
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
    route: 'DELETE /apikeys/:id',
    summary: 'Revoke a key immediately',
    scope: 'apikeys:write',
    capability: 'create_keys',
    path: IdPath,
    reply: ApiKey,
    fails: ['not_found', 'forbidden'],
    run: (ctx, { path }) => revokeKey(ctx, path.id),
  }),
  operation({
    name: 'apikeys.rotate',
    route: 'POST /apikeys/:id/rotate',
    summary: 'Rotate a key; the previous value stays valid for a grace period',
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
    route: ['GET /audit-log', 'POST /audit-log/list'],
    summary: 'Audit log of the workspace',
    scope: 'teams:read',
    role: 'admin',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(AuditEntry)),
    run: (ctx, { body }) => listAudit(ctx, body),
  }),
  operation({
    name: 'audit.verify',
    route: 'POST /audit-log/verify',
    summary: 'Verify the whole audit log against its hash chain and signed checkpoints',
    scope: 'teams:read',
    role: 'admin',
    reply: AuditCheck,
    // Verification uses its own transaction and the current state of the log.
    replay: 'never',
    run: (ctx) => checkAudit(ctx),
  }),
]
