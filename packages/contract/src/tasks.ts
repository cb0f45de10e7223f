// Schemas of tasks: the run request, the short result, the task and its related resources.
import Type, { type Static } from 'typebox'
import { baseFields, Json, JsonObject, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'
import { File } from './files.ts'

export const infras = ['cloud', 'private', 'private_first'] as const
export type Infra = (typeof infras)[number]

/** No maximum length: a name that does not exist answers `not_found`, whatever its length. */
export const RunRequest = Type.Object({
  app: Type.Optional(Type.String()),
  app_id: Type.Optional(Type.String()),
  version_id: Type.Optional(Type.String()),
  function: Type.Optional(Type.String({ maxLength: 128 })),
  input: JsonObject,
  setup: Type.Optional(JsonObject),
  infra: Type.Optional(StringEnum(infras)),
  workers: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 64 })),
  variant: Type.Optional(Type.String({ maxLength: 64 })),
  webhook: Type.Optional(Type.String({ maxLength: 2048 })),
  session: Type.Optional(Type.String()),
  session_timeout: Type.Optional(Type.Integer()),
  run_at: Type.Optional(Timestamp),
  wait: Type.Optional(Type.Boolean()),
  stream: Type.Optional(Type.Boolean()),
  metadata: Type.Optional(JsonObject),
})
export type RunRequest = Static<typeof RunRequest>

export const SocketAccess = Type.Object({
  id: Type.String(),
  url: Type.String(),
  token: Type.String(),
  expires_at: Timestamp,
})

export const TaskResult = Type.Object({
  id: Type.String(),
  short_id: Type.String(),
  status: Type.Integer(),
  status_text: Type.String(),
  output: Json,
  error: Type.Optional(Type.String()),
  session_id: Type.Optional(Type.String()),
  created_at: Timestamp,
  updated_at: Timestamp,
  run_at: Type.Optional(Timestamp),
  socket: Type.Optional(SocketAccess),
})
export type TaskResult = Static<typeof TaskResult>

export const TaskEvent = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  event_time: Timestamp,
  task_id: Type.String(),
  status: Type.Integer(),
})

export const TaskLog = Type.Object({
  id: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
  task_id: Type.String(),
  log_type: Type.Integer(),
  content: Type.String({ description: 'Base64 of UTF-8 bytes' }),
})
export type TaskLog = Static<typeof TaskLog>

const OptionalText = Nullable(Type.String())

/** Another resource, embedded or null. */
const Embedded = Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true })

/** Why a queued run waits. */
export const queueReasonCodes = [
  'no_engine',
  'no_gpu',
  'gpu_count',
  'gpu_memory',
  'memory',
  'resources',
  'concurrency',
  'session',
  'workers',
  'gpu_room',
  'busy',
] as const

export const QueueReason = Type.Object({ code: StringEnum(queueReasonCodes), message: Type.String() })
export type QueueReason = Static<typeof QueueReason>

export const Task = Type.Object({
  ...baseFields,
  ...permissionFields,
  status: Type.Integer(),
  app_id: Type.String(),
  app_version_id: Type.String(),
  app: Type.Optional(Embedded),
  app_version: Type.Optional(Embedded),
  app_variant: Type.String(),
  function: Type.String(),
  infra: Type.String(),
  workers: Type.Array(Type.String()),
  setup: Json,
  input: Json,
  output: Json,
  error: Type.Optional(Type.String()),
  gpu_memory_peak: Type.Optional(
    Type.Integer({ description: 'The largest GPU memory per card that was measured, in bytes' }),
  ),
  rating: Type.String(),
  is_featured: Type.Boolean(),
  metadata: Type.Optional(Json),
  events: Type.Array(TaskEvent),
  logs: Type.Optional(Type.Array(TaskLog)),
  usage_events: Type.Array(Json),
  engine_id: OptionalText,
  engine: Type.Optional(Json),
  worker_id: OptionalText,
  worker: Type.Optional(Json),
  session_id: OptionalText,
  session_timeout: Nullable(Type.Integer()),
  run_at: Nullable(Timestamp),
  queue_reason: Type.Optional(Nullable(QueueReason)),
  webhook: Type.String(),
  graph_id: OptionalText,
  flow_run_id: OptionalText,
  sub_flow_run_id: OptionalText,
  flow_item: Type.Optional(Type.Integer({ description: 'The index of an item of a loop of a flow' })),
  chat_id: OptionalText,
  agent_id: OptionalText,
  agent_version_id: OptionalText,
  agent: Type.Optional(Json),
  user_public_key: OptionalText,
  engine_public_key: OptionalText,
})
export type Task = Static<typeof Task>

export const TaskStatusReply = Type.Object({ id: Type.String(), status: Type.Integer(), updated_at: Timestamp })

export const TaskLogs = Type.Object({
  task_id: Type.String(),
  status: Type.Integer(),
  events: Type.Array(TaskEvent),
  logs: Type.Array(TaskLog),
})

const Span = {
  start_at: Timestamp,
  end_at: Type.Optional(Timestamp),
  duration: Type.String(),
  duration_ms: Type.Number(),
}

export const TaskTimings = Type.Object({
  task_id: Type.String(),
  status: Type.Integer(),
  total_duration: Type.String(),
  total_duration_ms: Type.Number(),
  groups: Type.Array(Type.Object({ label: Type.String(), ...Span })),
  events: Type.Array(
    Type.Object({
      status: Type.String(),
      timestamp: Timestamp,
      duration: Type.Optional(Type.String()),
      duration_ms: Type.Optional(Type.Number()),
      next_status: Type.Optional(Type.String()),
    }),
  ),
})
export type TaskTimings = Static<typeof TaskTimings>

export const TaskCost = Type.Object({
  total: Type.Integer(),
  discount: Type.Integer(),
  charged: Type.Integer(),
  refunded: Type.Optional(Type.Integer()),
})

export const CancelRequest = Type.Object({
  force: Type.Optional(Type.Boolean()),
  timeout: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, description: 'Milliseconds' })),
})

export const AppSession = Type.Object({
  ...baseFields,
  ...permissionFields,
  worker_id: OptionalText,
  app_id: Type.String(),
  app_version_id: Type.String(),
  status: StringEnum(['active', 'ended', 'expired']),
  expires_at: Timestamp,
  ended_at: Nullable(Timestamp),
  last_call_at: Nullable(Timestamp),
  task_id: OptionalText,
  call_count: Type.Integer(),
  idle_timeout: Type.Integer(),
})

export const WebhookAttempt = Type.Object({
  at: Timestamp,
  status_code: Type.Integer({ description: '0: no answer' }),
  error: Type.String(),
  duration_ms: Type.Integer(),
})
export type WebhookAttempt = Static<typeof WebhookAttempt>

export const WebhookDelivery = Type.Object({
  id: Type.String(),
  task_id: Type.String(),
  url: Type.String(),
  event: Type.String(),
  status: StringEnum(['pending', 'delivered', 'failed', 'parked']),
  attempts: Type.Array(WebhookAttempt),
  created_at: Timestamp,
  delivered_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
  parked_reason: Type.Optional(Type.String({ description: 'Why it is not retried automatically' })),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const TaskFile = Type.Object({
  ...File.properties,
  direction: StringEnum(['input', 'output']),
  field: Type.String({ description: 'Dotted path in the input or output' }),
})
export type TaskFile = Static<typeof TaskFile>

export const TaskCountsQuery = Type.Object({
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Start of the period; default: a day ago' })),
  step: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 86_400,
      description: 'Seconds per interval; default: 1800. At most 200 intervals up to now',
    }),
  ),
})

/** Numbers of runs by time and status. */
export const TaskCounts = Type.Object({
  since: Timestamp,
  step: Type.Integer({ description: 'Seconds' }),
  counted_since: Type.String({
    format: 'date-time',
    description: 'Equal to `since`, or later if there are too many runs to count: earlier ones are left out',
  }),
  p50_ms: Nullable(Type.Number({ description: 'Median duration of completed runs, from creation to end' })),
  p95_ms: Nullable(Type.Number({ description: '95th percentile' })),
  buckets: Type.Array(
    Type.Object({
      from: Timestamp,
      completed: Type.Integer(),
      failed: Type.Integer(),
      cancelled: Type.Integer(),
      active: Type.Integer({ description: 'Not finished' }),
    }),
    { description: 'Oldest first, without gaps, up to now' },
  ),
})
export type TaskCounts = Static<typeof TaskCounts>
