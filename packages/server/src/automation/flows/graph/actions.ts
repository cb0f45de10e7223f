// Applies one action to a graph: validates the payload, applies it and computes the actions that revert it exactly.
// Independent of users, versions and storage.
import { type ActionPayloads, actionPayloads, type GraphActionType } from '@millrace/contract/flows'
import { isRecord } from '@millrace/contract/json'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { nullStripper } from '#platform/core/validate.ts'
import { addEdge, removeEdge } from './edge-actions.ts'
import {
  clearOutputMapping,
  renameOutputField,
  setInputSchema,
  setOutputMapping,
  setOutputSchema,
} from './flow-actions.ts'
import { type Graph, graphLimits, type Outcome } from './graph.ts'
import { clearInput, setInput } from './input-actions.ts'
import {
  addNode,
  duplicateNode,
  moveNode,
  moveNodes,
  removeNode,
  renameNode,
  setNodeApp,
  updateNode,
} from './node-actions.ts'
import { deeperThan, isSafeKey } from './records.ts'

type Handlers = { [T in GraphActionType]: (graph: Graph, payload: ActionPayloads[T]) => Outcome }

const handlers: Handlers = {
  'node.add': addNode,
  'node.remove': removeNode,
  'node.move': moveNode,
  'node.move_many': moveNodes,
  'node.duplicate': duplicateNode,
  'node.rename': renameNode,
  'node.set_app': setNodeApp,
  'node.update': updateNode,
  'node.set_input': setInput,
  'node.clear_input': clearInput,
  'edge.add': addEdge,
  'edge.remove': removeEdge,
  'flow.set_input_schema': setInputSchema,
  'flow.set_output_schema': setOutputSchema,
  'flow.set_output_mapping': setOutputMapping,
  'flow.remove_output_mapping': clearOutputMapping,
  'flow.rename_output_field': renameOutputField,
}

export const isGraphActionType = (type: string): type is GraphActionType => Object.hasOwn(handlers, type)

const validators = new Map<string, Validator>(
  Object.entries(actionPayloads).map(([type, schema]) => [type, Compile(schema)]),
)

/** Each removes nulls that mean "absent". */
const strippers = new Map(Object.entries<TSchema>(actionPayloads).map(([type, schema]) => [type, nullStripper(schema)]))

/** The first error in a payload, with its path. */
const payloadFault = (type: GraphActionType, payload: unknown): string | undefined => {
  if (deeperThan(payload, graphLimits.payloadDepth)) {
    return `payload is nested more than ${graphLimits.payloadDepth} levels`
  }
  const validator = validators.get(type)
  if (validator && !validator.Check(payload)) {
    const [first] = validator.Errors(payload)
    return `payload${(first?.instancePath ?? '').replaceAll('/', '.')} ${first?.message ?? 'is invalid'}`
  }
  if (!isRecord(payload)) return 'payload must be object'
  const keys = [payload, payload.data, payload.patch].filter(isRecord).flatMap(Object.keys)
  const names = Object.values(payload).filter((value) => typeof value === 'string')
  return [...keys, ...names].every(isSafeKey) ? undefined : 'payload uses the reserved name "__proto__"'
}

export const applyAction = (graph: Graph, action: { type: string; payload?: unknown }): Outcome => {
  const { type } = action
  const payload = action.payload ?? {}
  if (!isGraphActionType(type)) return { error: `unknown action type "${type}"` }
  strippers.get(type)?.(payload)
  const fault = payloadFault(type, payload)
  if (fault !== undefined) return { error: fault }
  // The payload matches the schema from which this type is derived.
  const handle = handlers[type] as (graph: Graph, payload: unknown) => Outcome
  return handle(graph, payload)
}
