// Schemas of the settings that decide when and how often a node runs.
import Type, { type Static } from 'typebox'
import { Nullable, StringEnum } from './common.ts'

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

export const loopErrorModes = ['fail', 'skip', 'collect'] as const
export type LoopErrorMode = (typeof loopErrorModes)[number]

/** Runs a node once for each element of an input. */
export const ForEach = Type.Object({
  input: Type.String({ minLength: 1, maxLength: 256, description: 'The input that holds the array' }),
  parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Default 10' })),
  on_error: Type.Optional(StringEnum(loopErrorModes)),
})
export type ForEach = Static<typeof ForEach>

/** Runs a node again until a condition holds. */
export const Repeat = Type.Object({
  max: Type.Integer({ minimum: 1, maximum: 1_000 }),
  until: Type.Optional(Nullable(Expression)),
  delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  carry: Type.Optional(Type.String({ maxLength: 256, description: 'The input that receives the previous output' })),
})
export type Repeat = Static<typeof Repeat>

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

/** The settings of a node that decide when and how often it runs. */
export const controlFields = {
  retry: Type.Optional(Nullable(RetryPolicy)),
  timeout_ms: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 2_592_000_000 }))),
  when: Type.Optional(Nullable(Expression)),
  on_error: Type.Optional(StringEnum(['fail', 'branch'])),
  switch: Type.Optional(Nullable(SwitchConfig)),
  wait: Type.Optional(Nullable(WaitConfig)),
  for_each: Type.Optional(Nullable(ForEach)),
  repeat: Type.Optional(Nullable(Repeat)),
}
