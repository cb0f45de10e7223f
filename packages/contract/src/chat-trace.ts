// Schemas of a chat's history as a graph of steps.
import Type, { type Static } from 'typebox'
import { baseFields, Json, Timestamp } from './common.ts'

const nodeBase = { ...baseFields, graph_id: Type.String() }

export const TraceNode = Type.Object({
  ...nodeBase,
  type: Type.String(),
  label: Type.String(),
  resource_id: Type.String(),
  resource_type: Type.String(),
  status: Type.String(),
  metadata: Type.Optional(Json),
  ready_at: Type.Optional(Timestamp),
  started_at: Type.Optional(Timestamp),
  completed_at: Type.Optional(Timestamp),
  duration_ms: Type.Optional(Type.Integer()),
})
export type TraceNode = Static<typeof TraceNode>

export const TraceEdge = Type.Object({
  ...baseFields,
  type: Type.String(),
  from_node: Type.String(),
  to_node: Type.String(),
})
export type TraceEdge = Static<typeof TraceEdge>

export const ChatTrace = Type.Object({
  graph_id: Type.String(),
  nodes: Type.Array(TraceNode),
  edges: Type.Array(TraceEdge),
  total_steps: Type.Integer(),
  completed_steps: Type.Integer(),
  running_steps: Type.Integer(),
  failed_steps: Type.Integer(),
})
export type ChatTrace = Static<typeof ChatTrace>
