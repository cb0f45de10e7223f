// The doors of rented engines.
import { IdPath } from '@millrace/contract/common'
import { CreateEngine, Engine, ExtendEngine } from '@millrace/contract/engines'
import { operation } from '#platform/core/operation.ts'
import { extendEngine, launchEngine, reserveEngine } from './service.ts'

export const rentalOperations = [
  operation({
    name: 'engines.create',
    door: 'POST /engines',
    summary: 'Rent a machine and start an engine on it; the span is paid at once',
    scope: 'engines:write',
    body: CreateEngine,
    missingField: 'invalid_request',
    wrongField: 'invalid_request',
    reply: Engine,
    fails: ['invalid_request', 'payment_required', 'budget_exceeded', 'internal_error'],
    run: (ctx, { body }) => reserveEngine(ctx, body),
    // Committed before the provider is asked: whatever happens then, what was paid for is written down.
    follow: (ctx, { id }) => launchEngine(ctx, id),
  }),
  operation({
    name: 'engines.extend',
    door: 'POST /engines/:id/extend',
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
