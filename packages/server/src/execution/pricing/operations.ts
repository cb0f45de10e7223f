// Operations on prices.
import { PathText } from '@millrace/contract/common'
import { AppPricingAnswer, Estimate, EstimateRequest, SetAppPricing } from '@millrace/contract/pricing'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { changePricing, estimate, getPricing } from './service.ts'

const AppPath = Type.Object({ appId: PathText })

export const pricingOperations = [
  operation({
    name: 'store.pricing',
    route: 'GET /store/apps/:appId/pricing',
    summary: 'Get the price of an app, as expressions',
    scope: 'store:pricing',
    path: AppPath,
    reply: AppPricingAnswer,
    fails: ['not_found'],
    run: (ctx, { path }) => getPricing(ctx, path.appId),
  }),
  operation({
    name: 'store.set_pricing',
    route: 'PUT /store/apps/:appId/pricing',
    summary: 'Set the price of an app; runs already accepted keep their price',
    scope: 'store:pricing',
    path: AppPath,
    body: SetAppPricing,
    reply: AppPricingAnswer,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { path, body }) => changePricing(ctx, path.appId, body),
  }),
  operation({
    name: 'store.estimate',
    route: 'POST /store/apps/:appId/estimate',
    summary: 'Estimate the cost of a run',
    scope: 'optional',
    path: AppPath,
    body: EstimateRequest,
    reply: Estimate,
    fails: ['not_found'],
    run: (ctx, { path, body }) => estimate(ctx, path.appId, body),
  }),
]
