// Schemas of the engine protocol: registration, and the frames of the engine socket in both directions.
// docs/protocol/engine.md numbers the rules.

import Type, { type Static } from 'typebox'

const Id = Type.String({ minLength: 1 })
const Attempt = Type.Integer({ minimum: 0 })
const Base64 = Type.String()
const JsonObject = Type.Record(Type.String(), Type.Unknown())

// --- Registration -------------------------------------------------------------------------------------------------

/** More than any machine has; bounded because workers are created for each entry. */
const maxParts = { maxItems: 256 }
const bytes = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const Bytes = Type.Integer(bytes)

/** Engines send what they know: any part may be missing or null, and additional fields are stored as sent. */
const Part = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

const GpuEntry = Type.Object({
  gpus: Part(Type.Array(Type.Union([Type.Integer(), Type.String()]), maxParts)),
  /** The share of the memory of each card that the worker may use, in gigabytes; default: the card. */
  vram: Part(Type.Number({ exclusiveMinimum: 0 })),
})

export const WorkerConfig = Type.Object({
  gpu: Part(Type.Array(GpuEntry, maxParts)),
  cpu: Part(Type.Object({ count: Part(Type.Integer({ minimum: 0 })) })),
})
export type WorkerConfig = Static<typeof WorkerConfig>

export const SystemCpu = Type.Object({
  name: Part(Type.String()),
  vendor_id: Part(Type.String()),
  family: Part(Type.String()),
  model: Part(Type.String()),
  cores: Part(Type.Integer()),
  frequency: Part(Type.Union([Type.String(), Type.Number()])),
})
export type SystemCpu = Static<typeof SystemCpu>

export const SystemGpu = Type.Object({
  id: Part(Type.String()),
  index: Part(Type.Integer()),
  type: Part(Type.String()),
  name: Part(Type.String()),
  vram: Part(Bytes),
  memory_total: Part(Bytes),
  memory_used: Part(Bytes),
  /** Utilization, from 0 to 1. */
  usage: Part(Type.Number()),
  /** Degrees Celsius. */
  temperature: Part(Type.Number()),
  /** Watts. */
  power: Part(Type.Number()),
  driver_version: Part(Type.String()),
  cuda_version: Part(Type.String()),
})
export type SystemGpu = Static<typeof SystemGpu>

const Volume = Type.Object({
  name: Part(Type.String()),
  size: Part(Bytes),
  used: Part(Bytes),
  free: Part(Bytes),
  usage: Part(Type.Number()),
})

const Cache = Type.Object({
  name: Part(Type.String()),
  entries: Part(Type.Integer()),
  bytes: Part(Bytes),
  limit_bytes: Part(Bytes),
})

export const SystemInfo = Type.Object({
  hostname: Part(Type.String()),
  engine_version: Part(Type.String()),
  ipv4: Part(Type.String()),
  ipv6: Part(Type.String()),
  mac_address: Part(Type.String()),
  os: Part(Type.String()),
  docker: Part(JsonObject),
  wsl2: Part(JsonObject),
  cpus: Part(Type.Array(SystemCpu, maxParts)),
  ram: Part(Type.Object({ total: Part(Bytes), available: Part(Bytes) })),
  volumes: Part(Type.Array(Volume, maxParts)),
  hf_cache: Part(JsonObject),
  caches: Part(Type.Array(Cache, maxParts)),
  gpus: Part(Type.Array(SystemGpu, maxParts)),
  runtime: Part(Type.String()),
  cgroups: Part(Type.String()),
  kernels: Part(Type.Array(Type.String(), maxParts)),
})
export type SystemInfo = Static<typeof SystemInfo>

export const RegisterRequest = Type.Object({
  local_engine_state: Type.Object({
    id: Part(Type.String()),
    engine_id: Part(Type.String()),
    name: Part(Type.String()),
    config: Part(JsonObject),
    public_key: Type.Optional(Type.String()),
  }),
  api_url: Part(Type.String()),
  system_info: Part(SystemInfo),
  worker_config: Part(WorkerConfig),
})
export type RegisterRequest = Static<typeof RegisterRequest>

export const RegisteredWorker = Type.Object({
  id: Id,
  gpus: Type.Optional(Type.Array(JsonObject)),
  cpus: Type.Optional(Type.Array(JsonObject)),
  rams: Type.Optional(Type.Array(JsonObject)),
})
export type RegisteredWorker = Static<typeof RegisteredWorker>

export const RegisterResponse = Type.Object({
  engine_id: Id,
  workers: Type.Array(RegisteredWorker),
  base_url: Type.Optional(Type.String({ description: "The server's own URL as used in the URLs that it returns" })),
})
export type RegisterResponse = Static<typeof RegisterResponse>

// --- Statuses -----------------------------------------------------------------------------------------------------

export const EngineStatus = Type.Union([
  Type.Literal('running'),
  Type.Literal('draining'),
  Type.Literal('restarting'),
  Type.Literal('stopping'),
])
export type EngineStatus = Static<typeof EngineStatus>

export const WorkerStatus = Type.Union([
  Type.Literal('idle'),
  Type.Literal('busy'),
  Type.Literal('reserved'),
  Type.Literal('inactive'),
])
export type WorkerStatus = Static<typeof WorkerStatus>

export const RejectReason = Type.Union([
  Type.Literal('worker_busy'),
  Type.Literal('worker_not_found'),
  Type.Literal('worker_id_nil'),
  Type.Literal('engine_draining'),
])
export type RejectReason = Static<typeof RejectReason>

export const taskLogTypes = { build: 0, run: 1, serve: 2, setup: 3, task: 4 } as const
export type TaskLogType = (typeof taskLogTypes)[keyof typeof taskLogTypes]

// --- Engine to server ---------------------------------------------------------------------------------------------

const frame = <const Name extends string, Data extends Type.TSchema>(type: Name, data: Data) =>
  Type.Object({ type: Type.Literal(type), data })

// A frame about a task may contain its attempt, so that late frames of an older attempt are rejected. Without it, the
// frame applies to the latest attempt.
const taskFields = { task_id: Id, attempt: Type.Optional(Attempt) }
const TaskOnly = Type.Object(taskFields)

export const WorkerTelemetry = Type.Object({
  id: Id,
  status: Part(WorkerStatus),
  task_id: Part(Type.String()),
  app_id: Part(Type.String()),
  app_version_id: Part(Type.String()),
  active_session_id: Part(Type.String()),
  system_info: Part(JsonObject),
  warm_apps: Part(Type.Array(Type.String())),
})
export type WorkerTelemetry = Static<typeof WorkerTelemetry>

export const EngineHeartbeat = frame(
  'engine_heartbeat',
  Type.Object({
    engine_id: Part(Id),
    engine_status: Part(EngineStatus),
    worker_statuses: Type.Record(Type.String(), WorkerStatus),
    worker_tasks: Part(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  }),
)

export const EngineTelemetry = frame(
  'engine_telemetry',
  Type.Object({
    engine_id: Part(Id),
    status: Part(EngineStatus),
    engine_version: Part(Type.String()),
    system_info: Part(SystemInfo),
    workers: Type.Array(WorkerTelemetry),
  }),
)

export const TaskAccepted = frame('task_accepted', TaskOnly)
export const TaskRejected = frame(
  'task_rejected',
  Type.Object({ ...taskFields, reason: RejectReason, busy_with_task: Type.Optional(Type.String()) }),
)
export const TaskPreparing = frame('task_preparing', TaskOnly)
export const TaskServing = frame('task_serving', TaskOnly)
export const TaskSettingUp = frame('task_setting_up', TaskOnly)
export const TaskRunning = frame('task_running', TaskOnly)
export const TaskUploading = frame('task_uploading', TaskOnly)
export const TaskLog = frame(
  'task_log',
  Type.Object({ ...taskFields, log_type: Type.Integer({ minimum: 0, maximum: 4 }), logs: Base64 }),
)
export const TaskProgress = frame(
  'task_progress',
  Type.Object({
    ...taskFields,
    output: Base64,
    is_delta: Type.Optional(Type.Boolean()),
    seq: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
)
const endFields = {
  ...taskFields,
  gpu_memory_peak: Type.Optional(Type.Integer({ ...bytes, description: 'The largest measured GPU memory per card' })),
}
export const TaskCompleted = frame('task_completed', Type.Object({ ...endFields, output: Base64 }))
export const TaskFailed = frame('task_failed', Type.Object({ ...endFields, error: Type.Optional(Type.String()) }))
export const TaskCancelled = frame('task_cancelled', Type.Object(endFields))
export const TaskCancelResult = frame(
  'task_cancel_result',
  Type.Object({ ...taskFields, ok: Type.Boolean(), error: Type.Optional(Type.String()) }),
)

export const EngineToServer = Type.Union([
  EngineHeartbeat,
  EngineTelemetry,
  TaskAccepted,
  TaskRejected,
  TaskPreparing,
  TaskServing,
  TaskSettingUp,
  TaskRunning,
  TaskUploading,
  TaskLog,
  TaskProgress,
  TaskCompleted,
  TaskFailed,
  TaskCancelled,
  TaskCancelResult,
])
export type EngineToServer = Static<typeof EngineToServer>

export type TerminalFrame = Extract<EngineToServer, { type: 'task_completed' | 'task_failed' | 'task_cancelled' }>
export type TaskFrame = Exclude<EngineToServer, { type: 'engine_heartbeat' | 'engine_telemetry' }>

// --- Server to engine ---------------------------------------------------------------------------------------------

export const RunnableTask = Type.Object({
  id: Id,
  attempt: Type.Optional(Attempt),
  short_id: Type.Optional(Type.String()),
  status: Type.Optional(Type.Integer()),
  user_id: Type.Optional(Type.String()),
  team_id: Type.Optional(Type.String()),
  app_id: Id,
  app_version_id: Id,
  app_variant: Type.Optional(Type.String()),
  function: Type.Optional(Type.String()),
  input: Type.Unknown(),
  setup: Type.Optional(Type.Unknown()),
  worker_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  session_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  session_timeout: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
  app_name: Type.Optional(Type.String()),
  repository: Type.String(),
  checksum: Type.Optional(Type.String()),
  kernel: Type.Optional(Type.String()),
  app_env: Type.Optional(Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()])),
  gpu_count: Type.Optional(Type.Integer()),
  gpu_vram: Type.Optional(Type.Integer({ description: 'GPU memory that the app declares, per card, in bytes' })),
  traceparent: Type.Optional(Type.String({ description: "Trace context (W3C) of the app's work" })),
})
export type RunnableTask = Static<typeof RunnableTask>

export const WorkerSocket = Type.Object({
  id: Type.Optional(Type.String()),
  url: Type.String(),
  token: Type.String(),
  expires_at: Type.Optional(Type.String()),
})
export type WorkerSocket = Static<typeof WorkerSocket>

export const TaskRun = frame(
  'task_run',
  Type.Object({
    task: RunnableTask,
    secrets: Type.Optional(Type.Union([Base64, Type.Null()])),
    socket: Type.Optional(Type.Union([WorkerSocket, Type.Null()])),
  }),
)
export type TaskRun = Static<typeof TaskRun>

const NamedTask = Type.Object({ id: Id, attempt: Type.Optional(Attempt) })

export const TaskCancel = frame(
  'task_cancel',
  Type.Object({
    task: NamedTask,
    force: Type.Optional(Type.Boolean()),
    timeout: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
)
export const TaskForceCancel = frame('task_force_cancel', Type.Object({ task: NamedTask }))
export const TaskAck = frame('task_ack', Type.Object({ task_id: Id, attempt: Type.Optional(Attempt) }))
export const EngineDrain = frame('engine_drain', Type.Object({}))
export const EngineStop = frame('engine_stop', Type.Object({}))
export const EngineUpdate = frame(
  'engine_update',
  Type.Object({
    version: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    restart_only: Type.Optional(Type.Boolean()),
  }),
)
export const EngineDeleteHfcacheRepo = frame('engine_delete_hfcache_repo', Type.Object({ repo_id: Type.String() }))
export const SessionEnd = frame('session_end', Type.Object({ session_id: Id, worker_id: Type.Optional(Type.String()) }))

export const ServerToEngine = Type.Union([
  TaskRun,
  TaskCancel,
  TaskForceCancel,
  TaskAck,
  EngineDrain,
  EngineStop,
  EngineUpdate,
  EngineDeleteHfcacheRepo,
  SessionEnd,
])
export type ServerToEngine = Static<typeof ServerToEngine>

// --- Binary members -----------------------------------------------------------------------------------------------

// Logs, outputs and decrypted secrets are sent as base64 of UTF-8, because they may contain any bytes.
export const toBase64 = (text: string): string => bytesToBase64(new TextEncoder().encode(text))
export const fromBase64 = (text: string): string => new TextDecoder().decode(base64ToBytes(text))

const bytesToBase64 = (bytes: Uint8Array): string => {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(binary)
}

const base64ToBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
