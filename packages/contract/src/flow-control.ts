// Schemas of the settings that decide when and how often a node runs.
import Type, { type Static } from 'typebox'
import { StringEnum } from './common.ts'

/** An expression over `input`, the resolved inputs of the node. */
export const Expression = Type.String({ minLength: 1, maxLength: 4_000 })
const maxWaitMs = 366 * 86_400_000

export const SwitchConfig = Type.Object({
  cases: Type.Array(Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }), when: Expression }), {
    maxItems: 50,
  }),
})
export type SwitchConfig = Static<typeof SwitchConfig>

export const waitModes = ['duration', 'time', 'resume'] as const

export const WaitConfig = Type.Object({
  mode: StringEnum(waitModes),
  duration_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: maxWaitMs })),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'RFC 3339; the input `until` takes precedence' })),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: maxWaitMs, description: 'For the mode `resume`' })),
})
export type WaitConfig = Static<typeof WaitConfig>

/** How often a failed app node is retried, and the delays. */
export const RetryPolicy = Type.Object({
  attempts: Type.Integer({ minimum: 1, maximum: 100, description: 'Total attempts, including the first' }),
  backoff_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  factor: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })),
  max_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  codes: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 50,
      description: 'Only these failures are retried; default: all',
    }),
  ),
})
export type RetryPolicy = Static<typeof RetryPolicy>
