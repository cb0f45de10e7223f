// Operations on connectors.
import { CompleteConnector, Connector, CreateConnector, maxOpenApiBytes } from '@millrace/contract/connectors'
import { operation } from '#platform/core/operation.ts'
import { completeNpmConnector } from './npm.ts'
import { createConnector } from './service.ts'

export const connectorOperations = [
  operation({
    name: 'connectors.create',
    route: 'POST /connectors',
    summary: 'Create an app from an OpenAPI document or an MCP server on npm, or a new version of that app',
    scope: 'apps:write',
    body: CreateConnector,
    bodyLimitBytes: 2 * maxOpenApiBytes,
    reply: Connector,
    fails: ['validation_error', 'name_conflict', 'limit_exceeded', 'feature_not_available'],
    reachesOut: true,
    run: (ctx, { body }) => createConnector(ctx, body),
  }),
  operation({
    name: 'connectors.complete',
    route: 'POST /connectors/complete',
    summary: 'Deploy the tools that the `discovery` function of a connector has read from its npm package',
    scope: 'apps:write',
    andScope: 'apps:read',
    body: CompleteConnector,
    reply: Connector,
    fails: ['validation_error', 'not_found', 'invalid_state'],
    run: (ctx, { body }) => completeNpmConnector(ctx, body),
  }),
]
