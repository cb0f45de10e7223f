// Rules of prices: store administrators set the price of an app, and everyone who can see the app can read it.
import type { AppPricing, AppPricingAnswer, Estimate, EstimateRequest, SetAppPricing } from '@millrace/contract/pricing'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { getApp, pricingOf, readableApp, setPricing } from '../apps/service.ts'
import { completePricing, dependsOn, estimateOf, pricingFault } from './price.ts'

const answerOf = (pricing: AppPricing): AppPricingAnswer => ({
  ...pricing,
  estimable: dependsOn(pricing).length === 0,
})

export const getPricing = async (ctx: Ctx, appId: string): Promise<AppPricingAnswer> =>
  answerOf(((await pricingOf(ctx, appId)) as AppPricing | null) ?? completePricing({}))

export const changePricing = async (ctx: Ctx, appId: string, given: SetAppPricing): Promise<AppPricingAnswer> => {
  const pricing = completePricing(given)
  const fault = pricingFault(pricing)
  if (fault !== null) throw fail('validation_error', fault)
  await setPricing(ctx, appId, pricing)
  return answerOf(pricing)
}

export const estimate = async (ctx: Ctx<Actor>, appId: string, request: EstimateRequest): Promise<Estimate> => {
  const app = await readableApp(ctx, appId)
  return estimateOf(app.pricing as AppPricing | null, {
    input: request.input ?? {},
    function: request.function || (await defaultFunction(ctx, app.id)),
  })
}

/** The function of a run that names none, so that the estimate is for that function. */
const defaultFunction = async (ctx: Ctx<Actor>, appId: string): Promise<string> =>
  (await getApp(ctx, appId)).version?.default_function || 'run'
