// Schemas of triggers, trigger events and webhook sources. The server checks rules beyond the structure, such as the id
// that an action needs or whether a cron expression is valid.
import Type, { type Static } from 'typebox'
import { baseFields, Json, JsonObject, Nullable, PageOf, permissionFields, StringEnum, Timestamp } from './common.ts'

export const triggerTypes = ['cron', 'webhook', 'scheduled', 'manual'] as const
export type TriggerType = (typeof triggerTypes)[number]

export const triggerActions = ['run_agent', 'run_app', 'run_flow', 'resolve_interrupt'] as const
export type TriggerAction = (typeof triggerActions)[number]

export const fireStatuses = ['success', 'error', 'filtered'] as const

export const eventFilterOperators = ['eq', 'neq', 'contains', 'prefix', 'exists'] as const
export type EventFilterOperator = (typeof eventFilterOperators)[number]

export const EventFilter = Type.Object({
  field: Type.String({ description: 'Dotted path into the payload' }),
  operator: StringEnum(eventFilterOperators),
  value: Type.Optional(Type.String()),
})
export type EventFilter = Static<typeof EventFilter>

/** Outer key: `input`, `context` or a flow node id. Inner key: a field. Value: a literal, a template or a connection. */
export const InputMapping = Type.Record(Type.String(), JsonObject)
export type InputMapping = Static<typeof InputMapping>

export const signatureStrategies = ['hmac-sha256', 'slack-v0', 'ed25519', 'standard-webhooks', 'none'] as const
export type SignatureStrategy = (typeof signatureStrategies)[number]

export const StrategyConfig = Type.Object({
  header: Type.Optional(Type.String({ description: 'The header with the signature' })),
  prefix: Type.Optional(Type.String({ description: 'Prefix of the signature' })),
  encoding: Type.Optional(StringEnum(['hex', 'base64'])),
  timestamp_header: Type.Optional(Type.String()),
  timestamp_prefix: Type.Optional(
    Type.String({
      description:
        'The signature header is a comma-separated list that also contains the timestamp, which is signed before the body',
    }),
  ),
  id_header: Type.Optional(Type.String()),
  tolerance_seconds: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type StrategyConfig = Static<typeof StrategyConfig>

export const FilterField = Type.Object({
  field: Type.String(),
  label: Type.String(),
  type: StringEnum(['string', 'number', 'boolean']),
  options: Type.Optional(Type.Array(Type.String())),
})
export type FilterField = Static<typeof FilterField>

export const TriggerSource = Type.Object({
  ...baseFields,
  key: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  icon: Type.Optional(Type.String()),
  strategy: StringEnum(signatureStrategies),
  strategy_config: Type.Optional(StrategyConfig),
  config_schema: Type.Optional(JsonObject),
  payload_schema: Type.Optional(JsonObject),
  filter_fields: Type.Optional(Type.Array(FilterField)),
})
export type TriggerSource = Static<typeof TriggerSource>

export const TriggerSourceList = Type.Array(TriggerSource)

export const Trigger = Type.Object({
  ...baseFields,
  ...permissionFields,
  project_id: Type.Optional(Nullable(Type.String())),
  name: Type.String(),
  type: StringEnum(triggerTypes),
  action: StringEnum(triggerActions),
  enabled: Type.Boolean(),
  agent_id: Type.Optional(Type.String()),
  app_id: Type.Optional(Type.String()),
  flow_id: Type.Optional(Type.String()),
  interrupt_id: Type.Optional(Type.String()),
  config: JsonObject,
  input: JsonObject,
  input_mapping: InputMapping,
  filters: Type.Array(EventFilter),
  source_id: Type.Optional(Type.String()),
  source: Type.Optional(Nullable(TriggerSource)),
  scheduled_at: Type.Optional(Timestamp),
  next_fires: Type.Optional(
    Type.Array(Timestamp, {
      description: 'Cron triggers: the next five times within five years; empty while disabled',
    }),
  ),
  schedule_text: Type.Optional(Type.String({ description: 'Cron triggers: the expression in English' })),
  last_fired_at: Type.Optional(Timestamp),
  fire_count: Type.Integer(),
  last_refused_at: Type.Optional(Timestamp),
  last_refusal: Type.Optional(
    Type.String({ description: 'Webhook triggers: why the delivery at `last_refused_at` was refused' }),
  ),
  webhook_url: Type.Optional(Type.String()),
  input_schema: Type.Optional(Json),
  output_schema: Type.Optional(Json),
})
export type Trigger = Static<typeof Trigger>

export const TriggerPage = PageOf(Trigger)

export const TriggerFire = Type.Object({
  ...baseFields,
  trigger_id: Type.String(),
  trigger: Type.Optional(Nullable(Trigger)),
  status: StringEnum(fireStatuses),
  payload: Type.Optional(Json),
  error: Type.Optional(Type.String()),
  duration_ms: Type.Integer(),
  chat_id: Type.Optional(Type.String()),
  task_id: Type.Optional(Type.String()),
  flow_run_id: Type.Optional(Type.String()),
  duplicates: Type.Integer({ description: 'Additional deliveries with the same id, which were ignored' }),
})
export type TriggerFire = Static<typeof TriggerFire>

// Bodies are loosely typed where the server names the invalid part itself (a filter's operator, a cron field).
const settings = {
  name: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  config: Type.Optional(JsonObject),
  input: Type.Optional(JsonObject),
  input_mapping: Type.Optional(JsonObject),
  filters: Type.Optional(Type.Array(Type.Unknown())),
  scheduled_at: Type.Optional(Type.String()),
}

export const CreateTrigger = Type.Object({
  ...settings,
  name: Type.String(),
  type: Type.String({ description: triggerTypes.join(', ') }),
  action: Type.String({ description: triggerActions.join(', ') }),
  agent_id: Type.Optional(Type.String()),
  app_id: Type.Optional(Type.String()),
  flow_id: Type.Optional(Type.String()),
  interrupt_id: Type.Optional(Type.String()),
  source_id: Type.Optional(Type.String({ description: 'Id or key of a source' })),
})
export type CreateTrigger = Static<typeof CreateTrigger>

export const UpdateTrigger = Type.Object(settings)
export type UpdateTrigger = Static<typeof UpdateTrigger>

export const FireTrigger = JsonObject

/** Any JSON from a provider; its bytes are signed. */
export const HookBody = Type.Unsafe<Uint8Array>({ description: 'JSON of the provider, at most 1 MiB' })

/** The reply that a provider's URL verification expects, with that provider's fields. */
export const HookAnswer = Type.Object(
  {
    ok: Type.Optional(Type.Boolean()),
    success: Type.Optional(Type.Boolean()),
    data: Type.Optional(Type.Object({ ok: Type.Boolean() })),
    messages: Type.Optional(Type.Array(Json)),
  },
  { additionalProperties: true },
)
export type HookAnswer = Static<typeof HookAnswer>

export const TriggerFired = Type.Object({
  fired: Type.Boolean(),
  chat_id: Type.Optional(Type.String()),
  task_id: Type.Optional(Type.String()),
  flow_run_id: Type.Optional(Type.String()),
})
export type TriggerFired = Static<typeof TriggerFired>

export const TryFilters = Type.Object({ filters: Type.Array(Type.Unknown()) })

export const FiltersTried = Type.Object({
  passes: Type.Boolean(),
  rules: Type.Array(
    Type.Object({
      ...EventFilter.properties,
      passes: Type.Boolean(),
      actual: Type.Optional(Json),
    }),
  ),
})
export type FiltersTried = Static<typeof FiltersTried>

export const TryMapping = Type.Object({
  action: Type.String({ description: triggerActions.join(', ') }),
  input: Type.Optional(JsonObject),
  input_mapping: JsonObject,
  payload: Type.Optional(Json),
})
export type TryMapping = Static<typeof TryMapping>

export const MappingTried = Type.Object({
  input: JsonObject,
  nodes: Type.Record(Type.String(), JsonObject, { description: 'Inputs of individual nodes of a flow' }),
  context: Type.Record(Type.String(), Type.String(), { description: 'Context variables of the agent’s chat' }),
})
export type MappingTried = Static<typeof MappingTried>
