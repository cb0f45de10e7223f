// Operations on rented engines.
import { IdPath } from '@millrace/contract/common'
import { CreateEngine, Engine, ExtendEngine } from '@millrace/contract/engines'
import { operation } from '#platform/core/operation.ts'
import { extendEngine, launchEngine, reserveEngine } from './service.ts'

export const rentalOperations = [
  operation({
    name: 'engines.create',
    route: 'POST /engines',
    summary: 'Rent a machine and start an engine on it; the time is paid in advance',
    scope: 'engines:write',
    stores: 'body',
    body: CreateEngine,
    missingField: 'invalid_request',
    wrongField: 'invalid_request',
    reply: Engine,
    fails: ['invalid_request', 'payment_required', 'budget_exceeded', 'internal_error'],
    run: (ctx, { body }) => reserveEngine(ctx, body),
    // Runs after the payment is committed, so that the row exists even if the provider fails.
    follow: (ctx, { id }) => launchEngine(ctx, id),
  }),
  operation({
    name: 'engines.extend',
    route: 'POST /engines/:id/extend',
    summary: 'Pay for more time on a rented engine',
    scope: 'engines:write',
    path: IdPath,
    body: ExtendEngine,
    missingField: 'invalid_request',
    wrongField: 'invalid_request',
    reply: Engine,
    fails: ['invalid_request', 'not_found', 'invalid_state', 'payment_required', 'budget_exceeded'],
    run: (ctx, { path, body }) => extendEngine(ctx, path.id, body),
  }),
]
