// Schemas of flows: the graph, its edit actions, and versions.
import Type, { type Static } from 'typebox'
import { appCategories } from './apps.ts'
import {
  baseFields,
  Description,
  Json,
  JsonObject,
  Nullable,
  PathText,
  permissionFields,
  StringEnum,
} from './common.ts'
import { controlFields } from './flow-control.ts'

export const nodeTypes = [
  'inputNode',
  'outputNode',
  'appNode',
  'agentNode',
  'gate',
  'selector',
  'merge',
  'constant',
  'utility',
  'note',
  'switch',
  'wait',
  'flow',
] as const
export type NodeType = (typeof nodeTypes)[number]

export const NodeId = Type.String({ minLength: 1, maxLength: 128 })
const FieldName = Type.String({ minLength: 1, maxLength: 256 })

export const Position = Type.Object({ x: Type.Number(), y: Type.Number() })
export type Position = Static<typeof Position>

export const FlowNode = Type.Object({ id: NodeId, type: StringEnum(nodeTypes), position: Position })
export type FlowNode = Static<typeof FlowNode>

export const FlowEdge = Type.Object({
  id: NodeId,
  type: Type.String(),
  source: NodeId,
  target: NodeId,
  source_handle: Type.Optional(Type.String()),
  target_handle: Type.Optional(Type.String()),
})
export type FlowEdge = Static<typeof FlowEdge>

export const Connection = Type.Object({
  nodeId: NodeId,
  key: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  previousValue: Type.Optional(Json),
  handle: Type.Optional(Type.String({ maxLength: 64, description: 'A case of a switch, `error`, `timeout` or `url`' })),
})
export type Connection = Static<typeof Connection>

export const GateCondition = Type.Object({
  field: Type.Optional(Type.String()),
  operator: Type.Optional(Type.String()),
  value: Type.Optional(Json),
})
export type GateCondition = Static<typeof GateCondition>

export const SelectorConfig = Type.Object({
  field: Type.Optional(Type.String()),
  mode: Type.Optional(Type.String()),
  index: Type.Optional(Type.Integer()),
})
export type SelectorConfig = Static<typeof SelectorConfig>

export const UtilityConfig = Type.Object({
  preset: Type.Optional(Type.String()),
  expression: Type.Optional(Type.String()),
  gate: Type.Optional(Nullable(GateCondition)),
  selector: Type.Optional(Nullable(SelectorConfig)),
  constant: Type.Optional(Json),
  random: Type.Optional(Type.Boolean()),
  random_min: Type.Optional(Type.Number()),
  random_max: Type.Optional(Type.Number()),
})
export type UtilityConfig = Static<typeof UtilityConfig>

/** Unknown keys are stored and returned, so that editors can use their own. */
const nodeDataFields = {
  app: Type.Optional(Json),
  app_id: Type.Optional(Type.String()),
  app_version_id: Type.Optional(Type.String()),
  agent: Type.Optional(Json),
  agent_id: Type.Optional(Type.String()),
  agent_version_id: Type.Optional(Type.String()),
  flow: Type.Optional(Type.String({ maxLength: 256, description: 'The flow of a `flow` node, by id or ref' })),
  flow_version_id: Type.Optional(Type.String()),
  function: Type.Optional(Type.String()),
  infra: Type.Optional(Type.String()),
  workers: Type.Optional(Nullable(Type.Array(Type.String()))),
  setup: Type.Optional(Json),
  additional: Type.Optional(Json),
  task: Type.Optional(Json),
  task_id: Type.Optional(Type.String()),
  gate_condition: Type.Optional(Nullable(GateCondition)),
  selector_config: Type.Optional(Nullable(SelectorConfig)),
  utility: Type.Optional(Nullable(UtilityConfig)),
  ...controlFields,
}
export const NodeData = Type.Object(nodeDataFields, { additionalProperties: true })
export type NodeData = Static<typeof NodeData>

export const OutputMapping = Type.Object({
  sourceNodeId: NodeId,
  sourceFieldPath: Type.Optional(Type.String()),
  outputFieldName: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  schema: Type.Optional(Json),
})
export type OutputMapping = Static<typeof OutputMapping>

export const Viewport = Type.Object({ x: Type.Number(), y: Type.Number(), zoom: Type.Number() })
export type Viewport = Static<typeof Viewport>

const NodeInputs = Type.Record(Type.String(), Type.Record(Type.String(), Json))

export const graphFields = {
  nodes: Type.Array(FlowNode),
  edges: Type.Array(FlowEdge),
  node_data: Type.Record(Type.String(), NodeData),
  input: NodeInputs,
  input_schema: Json,
  output_schema: Json,
  output_mappings: Type.Record(Type.String(), OutputMapping),
  viewport: Type.Optional(Nullable(Viewport)),
}
export const FlowGraph = Type.Object(graphFields)
export type FlowGraph = Static<typeof FlowGraph>

// Fields beyond the published table (index, type, unset) are what an inverse action needs to restore exactly.
const Index = Type.Optional(Type.Integer({ minimum: 0 }))
const ById = Type.Object({ id: NodeId })
const SchemaPayload = Type.Object({ schema: Type.Optional(Json) })

export const actionPayloads = {
  'node.add': Type.Object({
    id: NodeId,
    type: Type.String(),
    position: Type.Optional(Position),
    data: Type.Optional(Nullable(NodeData)),
    index: Index,
  }),
  'node.remove': ById,
  'node.move': Type.Object({ id: NodeId, position: Position }),
  'node.move_many': Type.Object({ positions: Type.Record(Type.String(), Position) }),
  'node.duplicate': Type.Object({ source_id: NodeId, new_id: NodeId, offset: Type.Optional(Position) }),
  'node.rename': Type.Object({ old_id: NodeId, new_id: NodeId }),
  'node.set_app': Type.Object({
    node_id: NodeId,
    app_id: Type.String(),
    app_version_id: Type.Optional(Type.String()),
    function: Type.Optional(Type.String()),
  }),
  'node.update': Type.Object({
    node_id: NodeId,
    patch: NodeData,
    unset: Type.Optional(Type.Array(Type.String())),
  }),
  'node.set_input': Type.Object({ node_id: NodeId, input_key: FieldName, input: Json }),
  'node.clear_input': Type.Object({ node_id: NodeId, input_key: FieldName }),
  'edge.add': Type.Object({
    id: NodeId,
    type: Type.Optional(Type.String()),
    source: NodeId,
    target: NodeId,
    source_handle: Type.Optional(Nullable(Type.String())),
    target_handle: Type.Optional(Nullable(Type.String())),
    index: Index,
  }),
  'edge.remove': ById,
  'flow.set_input_schema': SchemaPayload,
  'flow.set_output_schema': SchemaPayload,
  'flow.set_output_mapping': Type.Object({ field: FieldName, mapping: OutputMapping }),
  'flow.remove_output_mapping': Type.Object({ field: FieldName }),
  'flow.rename_output_field': Type.Object({ old_field: FieldName, new_field: FieldName }),
} as const

export type ActionPayloads = { [T in keyof typeof actionPayloads]: Static<(typeof actionPayloads)[T]> }
export type GraphActionType = keyof ActionPayloads

/** An action that edits the graph; `undo` and `redo` only replay such actions. */
export type GraphAction = { [T in GraphActionType]: { type: T; payload: ActionPayloads[T] } }[GraphActionType]

/** As received: type and payload are checked when the action is applied, so that the error names it. */
export const FlowAction = Type.Object({ type: Type.String(), payload: Type.Optional(Json) })
export type FlowAction = Static<typeof FlowAction>

export const FlowActionsRequest = Type.Object({ actions: Type.Array(FlowAction, { minItems: 1, maxItems: 1000 }) })

export const FlowActionError = Type.Object({ type: Type.String(), message: Type.String() })
export type FlowActionError = Static<typeof FlowActionError>

export const FlowActionsResult = Type.Object({
  version: Type.Integer(),
  actions: Type.Array(FlowAction),
  errors: Type.Array(FlowActionError),
})
export type FlowActionsResult = Static<typeof FlowActionsResult>

export const FlowVersion = Type.Object({ ...baseFields, graph_version: Type.Integer(), ...graphFields })
export type FlowVersion = Static<typeof FlowVersion>

export const flowVisibilities = ['private', 'team', 'public', 'unlisted'] as const

export const Flow = Type.Object({
  ...baseFields,
  ...permissionFields,
  namespace: Type.String(),
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  card_image: Type.String(),
  thumbnail: Type.String(),
  banner_image: Type.String(),
  draft_version_id: Type.String(),
  draft_version: Type.Optional(Nullable(FlowVersion)),
  published_version_id: Type.String(),
  published_version: Type.Optional(Nullable(FlowVersion)),
  ...graphFields,
})
export type Flow = Static<typeof Flow>

const Name = Type.String({ maxLength: 64 })
const Text = Type.String({ maxLength: 2048 })

export const CreateFlow = Type.Object({
  name: Type.Optional(Name),
  title: Type.Optional(Text),
  description: Type.Optional(Description),
})
export type CreateFlow = Static<typeof CreateFlow>

const flowTexts = {
  name: Type.Optional(Name),
  title: Type.Optional(Text),
  description: Type.Optional(Description),
  card_image: Type.Optional(Text),
  thumbnail: Type.Optional(Text),
  banner_image: Type.Optional(Text),
}
// The schema accepts unknown and protected keys; the service checks them.
export const PatchFlow = Type.Object(flowTexts, { additionalProperties: true })
export type PatchFlow = Static<typeof PatchFlow>

const SentEdge = Type.Object({ ...FlowEdge.properties, type: Type.Optional(Type.String()) })
export type SentEdge = Static<typeof SentEdge>

/** A complete graph replaces the draft; missing parts become empty. */
export const ReplaceFlow = Type.Object(
  { ...flowTexts, ...Type.Partial(Type.Object({ ...graphFields, edges: Type.Array(SentEdge) })).properties },
  { additionalProperties: true },
)
export type ReplaceFlow = Static<typeof ReplaceFlow>

export const SetFlowVisibility = Type.Object({ visibility: StringEnum(flowVisibilities) })

export const FlowRefPath = Type.Object({
  namespace: PathText,
  name: PathText,
})

export const DeployFlow = Type.Object({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  category: Type.Optional(StringEnum(appCategories)),
  preserve_current_version: Type.Optional(Type.Boolean()),
})
export type DeployFlow = Static<typeof DeployFlow>

export const EvaluateExpression = Type.Object({
  expression: Type.String({ minLength: 1, maxLength: 4_000 }),
  input: Type.Optional(JsonObject),
})

/** Either a value or an error. */
export const Evaluated = Type.Object({ value: Type.Optional(Json), error: Type.Optional(Type.String()) })
export type Evaluated = Static<typeof Evaluated>

/** The stream event `actions` of a flow: one applied batch. */
export const FlowActionsEvent = Type.Object({
  version: Type.Integer(),
  actions: Type.Array(FlowAction),
  user_id: Type.String(),
})
export type FlowActionsEvent = Static<typeof FlowActionsEvent>
