// Schemas of app pricing.
import Type, { type Static } from 'typebox'
import { JsonObject, StringEnum } from './common.ts'

const Expression = Type.String({ maxLength: 10_000, description: 'CEL; empty for no fee' })

export const AppPricing = Type.Object({
  prices: Type.Record(Type.String(), Type.Integer({ description: 'Microcents' })),
  upstream_pricing: Type.Optional(Type.String({ maxLength: 10_000 })),
  resource_expression: Expression,
  inference_expression: Expression,
  royalty_expression: Expression,
  partner_expression: Expression,
  total_expression: Expression,
  estimate: Type.Optional(Type.String({ maxLength: 10_000 })),
  description: Type.String({ maxLength: 10_000 }),
})
export type AppPricing = Static<typeof AppPricing>

/** All fields are optional: a missing fee is zero. */
export const SetAppPricing = Type.Partial(AppPricing)
export type SetAppPricing = Static<typeof SetAppPricing>

export const AppPricingAnswer = Type.Object({
  ...AppPricing.properties,
  estimable: Type.Boolean({ description: 'Whether the price is known before the run' }),
})
export type AppPricingAnswer = Static<typeof AppPricingAnswer>

export const EstimateRequest = Type.Object({
  input: Type.Optional(JsonObject),
  function: Type.Optional(Type.String()),
})
export type EstimateRequest = Static<typeof EstimateRequest>

export const Estimate = Type.Object({
  confidence: StringEnum(['exact', 'range', 'unknown']),
  microcents: Type.Optional(Type.Integer()),
  min: Type.Optional(Type.Integer()),
  max: Type.Optional(Type.Integer()),
  depends_on: Type.Optional(Type.Array(Type.String())),
  estimate_error: Type.Optional(Type.String()),
  pricing_description: Type.Optional(Type.String()),
})
export type Estimate = Static<typeof Estimate>
