// Schemas of flow runs and their event log.
import Type, { type Static } from 'typebox'
import {
  baseFields,
  Json,
  JsonObject,
  Nullable,
  permissionFields,
  StringEnum,
  Timestamp,
  visibilities,
} from './common.ts'
import { FlowVersion, NodeId } from './flows.ts'

export const nodeStatuses = [
  'pending',
  'ready',
  'running',
  'completed',
  'failed',
  'cancelled',
  'skipped',
  'blocked',
] as const
export type NodeStatus = (typeof nodeStatuses)[number]

export const nodeWaitKinds = ['time', 'resume', 'items'] as const
export type NodeWaitKind = (typeof nodeWaitKinds)[number]

/** The event that a running node without a task waits for. */
export const NodeWait = Type.Object({
  kind: StringEnum(nodeWaitKinds),
  until: Type.Optional(Timestamp),
  url: Type.Optional(Type.String({ description: 'Continues the run; only for callers who may run the flow' })),
})
export type NodeWait = Static<typeof NodeWait>

/** The progress of a loop: the numbers of items. */
export const LoopProgress = Type.Object({
  total: Type.Integer(),
  open: Type.Integer(),
  done: Type.Integer(),
  failed: Type.Integer(),
})
export type LoopProgress = Static<typeof LoopProgress>

export const FlowRun = Type.Object({
  ...baseFields,
  ...permissionFields,
  flow_id: Type.String(),
  flow_version_id: Type.String(),
  flow_version: Type.Optional(Nullable(FlowVersion)),
  task_id: Type.Optional(Type.String()),
  status: Type.Integer(),
  input: JsonObject,
  output: Json,
  error: Type.Optional(Type.String()),
  fail_on_error: Type.Boolean(),
  node_tasks: Type.Record(
    Type.String(),
    Type.Object({ task_id: Type.String(), task: Json, chat_id: Type.Optional(Type.String()) }),
  ),
  node_statuses: Type.Optional(Type.Record(Type.String(), StringEnum(nodeStatuses))),
  node_outputs: Nullable(Type.Record(Type.String(), Type.Object({ value: Json }))),
  origin_run_id: Type.Optional(Type.String({ description: 'The original run, if this is a rerun' })),
  trigger_id: Type.Optional(Type.String({ description: 'The trigger that started the run' })),
  node_waits: Type.Optional(Type.Record(Type.String(), NodeWait)),
  node_loops: Type.Optional(Type.Record(Type.String(), LoopProgress)),
  metadata: Type.Optional(JsonObject),
  flow_run_started: Type.Optional(Timestamp),
  flow_run_finished: Type.Optional(Timestamp),
  flow_run_cancelled: Type.Optional(Timestamp),
})
export type FlowRun = Static<typeof FlowRun>

export const CreateFlowRun = Type.Object({
  flow: Type.String({ minLength: 1 }),
  input: JsonObject,
  version_id: Type.Optional(Type.String()),
  webhook: Type.Optional(Type.String({ maxLength: 2048 })),
  fail_on_error: Type.Optional(Type.Boolean()),
  visibility: Type.Optional(StringEnum(visibilities)),
})
export type CreateFlowRun = Static<typeof CreateFlowRun>

export const RerunFlowRun = Type.Object({
  node_id: Type.Optional(Type.String({ description: 'The node to start from; default: the failed nodes' })),
})
export type RerunFlowRun = Static<typeof RerunFlowRun>

export const ReplayFlowRun = Type.Object({
  version_id: Type.Optional(Type.String({ description: 'Another version of the flow; default: the version that ran' })),
})
export type ReplayFlowRun = Static<typeof ReplayFlowRun>

/** `node_id` is empty for the flow run itself. */
export const FlowRunDifference = Type.Object({
  node_id: Type.String(),
  field: StringEnum(['input', 'output', 'status', 'error']),
  recorded: Json,
  replayed: Json,
})
export type FlowRunDifference = Static<typeof FlowRunDifference>

export const FlowRunReplay = Type.Object({
  equal: Type.Boolean(),
  first_difference: Type.Optional(FlowRunDifference),
})
export type FlowRunReplay = Static<typeof FlowRunReplay>

/** Only `metadata` can be changed; other keys are accepted and ignored. */
export const PatchFlowRun = Type.Object({ metadata: Type.Optional(JsonObject) })
export type PatchFlowRun = Static<typeof PatchFlowRun>

export const SetFlowRunVisibility = Type.Object({ visibility: StringEnum(visibilities) })

/** Both are part of the resume URL of a node. */
export const ResumeQuery = Type.Object({
  node: Type.String({ minLength: 1, maxLength: 128 }),
  token: Type.String({ minLength: 1, maxLength: 128 }),
})
export type ResumeQuery = Static<typeof ResumeQuery>

export const FlowRunEventsQuery = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of the last received event' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Default 1000' })),
})
export type FlowRunEventsQuery = Static<typeof FlowRunEventsQuery>

// The event log of a run. The events contain exactly what is needed to rebuild the run's state.
const event = <const T extends string, F extends Record<string, Type.TSchema>>(type: T, fields: F) =>
  Type.Object({ type: Type.Literal(type), ...fields })

export const flowRunEvents = {
  run_started: event('run_started', {
    input: JsonObject,
    fail_on_error: Type.Boolean(),
    origin_run_id: Type.Optional(Type.String()),
  }),
  node_started: event('node_started', {
    node_id: NodeId,
    attempt: Type.Integer(),
    task_id: Type.String(),
    deadline_ms: Type.Optional(Type.Number()),
  }),
  node_repeated: event('node_repeated', {
    node_id: NodeId,
    turn: Type.Integer({ description: 'The number of the next repetition' }),
    again_at_ms: Type.Number(),
    carried: Type.Optional(Json),
  }),
  node_retried: event('node_retried', {
    node_id: NodeId,
    attempt: Type.Integer({ description: 'The attempt that failed' }),
    error: Type.String(),
    retry_at_ms: Type.Number(),
  }),
  node_completed: event('node_completed', {
    node_id: NodeId,
    output: Type.Optional(Json),
    kept: Type.Optional(Type.Boolean({ description: 'Reused from the original run' })),
    task_id: Type.Optional(Type.String({ description: 'The task of a reused node' })),
    branch: Type.Optional(Type.String({ description: 'The chosen output of the node' })),
  }),
  node_skipped: event('node_skipped', { node_id: NodeId }),
  node_waiting: event('node_waiting', {
    node_id: NodeId,
    kind: StringEnum(nodeWaitKinds),
    until_ms: Type.Optional(Type.Number()),
  }),
  node_failed: event('node_failed', {
    node_id: NodeId,
    error: Type.String(),
    gate: Type.Boolean(),
    code: Type.Optional(Type.String()),
    handled: Type.Optional(Type.Boolean({ description: 'The run continues at the output `error`' })),
  }),
  node_blocked: event('node_blocked', { node_id: NodeId, by: NodeId }),
  node_cancelled: event('node_cancelled', { node_id: NodeId }),
  run_completed: event('run_completed', { output: JsonObject }),
  run_failed: event('run_failed', { error: Type.String() }),
  run_cancelled: event('run_cancelled', {}),
} as const

export type FlowRunEventType = keyof typeof flowRunEvents
export type FlowRunEvent = { [T in FlowRunEventType]: Static<(typeof flowRunEvents)[T]> }[FlowRunEventType]

/** One row of GET /flowruns/{id}/events. */
export const FlowRunEventRow = Type.Object({
  seq: Type.Integer(),
  created_at: Timestamp,
  event: Type.Unsafe<FlowRunEvent>(Type.Union(Object.values(flowRunEvents))),
})
export type FlowRunEventRow = Static<typeof FlowRunEventRow>
