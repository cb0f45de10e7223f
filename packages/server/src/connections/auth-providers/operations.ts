// HTTP operations of auth providers. `/auth-schemes` is the older path and answers identically.
import {
  AuthHooks,
  AuthProvider,
  AuthProvidersQuery,
  ClientMetadata,
  ClientMetadataPath,
  CreateAuthProvider,
  Deleted,
  UpdateAuthProvider,
} from '@millrace/contract/auth-providers'
import { IdPath } from '@millrace/contract/common'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { hookCatalogue } from './hooks.ts'
import { clientMetadata } from './mcp-client.ts'
import * as providers from './providers.ts'

export const authProviderOperations = [
  operation({
    name: 'auth_providers.list',
    route: ['GET /auth-providers', 'GET /auth-schemes'],
    summary: 'Ways to sign in to other services, from the workspace or the platform',
    scope: 'credentials:read',
    query: AuthProvidersQuery,
    reply: Type.Array(AuthProvider),
    run: (ctx, { query }) => providers.list(ctx, query.scope),
  }),
  operation({
    name: 'auth_providers.hooks',
    route: ['GET /auth-providers/hooks', 'GET /auth-schemes/hooks'],
    summary: 'Names of the hooks that specs may use for non-standard services',
    scope: 'credentials:read',
    reply: AuthHooks,
    run: () => hookCatalogue,
  }),
  operation({
    name: 'auth_providers.get',
    route: ['GET /auth-providers/:id', 'GET /auth-schemes/:id'],
    summary: 'One auth provider',
    scope: 'credentials:read',
    path: IdPath,
    reply: AuthProvider,
    fails: ['not_found', 'permission_denied'],
    run: (ctx, { path }) => providers.get(ctx, path.id),
  }),
  operation({
    name: 'auth_providers.create',
    route: ['POST /auth-providers', 'POST /auth-schemes'],
    summary: 'Describe how to sign in to a service; a workspace provider includes its OAuth app',
    scope: 'credentials:write',
    stores: 'body',
    body: CreateAuthProvider,
    reply: AuthProvider,
    fails: ['validation_error', 'conflict', 'team_role_required', 'permission_denied'],
    reachesOut: true,
    run: (ctx, { body }) => providers.create(ctx, body),
  }),
  operation({
    name: 'auth_providers.update',
    route: ['PUT /auth-providers/:id', 'PUT /auth-schemes/:id'],
    summary: 'Change an auth provider; omitted fields stay as they are',
    scope: 'credentials:write',
    path: IdPath,
    stores: 'body',
    body: UpdateAuthProvider,
    reply: AuthProvider,
    fails: ['not_found', 'validation_error', 'team_role_required', 'permission_denied'],
    reachesOut: true,
    run: (ctx, { path, body }) => providers.update(ctx, path.id, body),
  }),
  operation({
    name: 'auth_providers.delete',
    route: ['DELETE /auth-providers/:id', 'DELETE /auth-schemes/:id'],
    summary: 'Delete an auth provider and the secrets of its OAuth app',
    scope: 'credentials:write',
    path: IdPath,
    reply: Deleted,
    fails: ['not_found', 'validation_error', 'team_role_required', 'permission_denied'],
    run: (ctx, { path }) => providers.remove(ctx, path.id),
  }),
  operation({
    name: 'oauth.client_metadata',
    route: 'GET /oauth/client-metadata/:slug',
    summary: 'Client metadata for an authorization server; the address is the client id',
    scope: 'public',
    path: ClientMetadataPath,
    reply: ClientMetadata,
    bare: true,
    run: (ctx, { path }, wire) => {
      wire.header('cache-control', 'public, max-age=3600')
      return clientMetadata(ctx.settings, path.slug)
    },
  }),
]
