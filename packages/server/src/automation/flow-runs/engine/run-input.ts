// The input of a run: either flat, for the input node, or a map of node ids that overrides those nodes' inputs.
import { isConnected } from '@millrace/contract/flow-inputs'
import { isRecord, own } from '@millrace/contract/json'
import { resolveInputs, type Sources } from './connections.ts'
import type { Plan, PlanNode } from './plan.ts'

type Inputs = Record<string, unknown>

export type RunInput = { form: 'flat'; values: Inputs } | { form: 'by node'; values: Record<string, Inputs> }

/** By node only when every key is a node of the graph and every value an object; an empty input is flat. */
export const readRunInput = (plan: Plan, input: Inputs): RunInput => {
  const entries = Object.entries(input)
  const byNode = entries.length > 0 && entries.every(([key, value]) => plan.nodes.has(key) && isRecord(value))
  return byNode ? { form: 'by node', values: input as Record<string, Inputs> } : { form: 'flat', values: input }
}

/**
 * The inputs of a node, those of the run over those of the graph. A flat input is data and taken as it is, even where
 * it happens to hold a `connection`; overrides are inputs like those of the graph.
 */
export const resolvedInputs = (node: PlanNode, input: RunInput, sources: Sources): Inputs => {
  if (input.form === 'by node') return resolveInputs({ ...node.inputs, ...own(input.values, node.id) }, sources)
  const resolved = resolveInputs(node.inputs, sources)
  return node.type === 'inputNode' ? { ...resolved, ...input.values } : resolved
}

export type InputCheck = (schema: Inputs, values: Inputs) => string | undefined

/**
 * The first thing wrong with the input of a new run. Only what is meant for an input node can be checked: a run that
 * sets nodes directly, and leaves the input node alone, does without it.
 */
export const inputFault = (plan: Plan, raw: Inputs, check: InputCheck): string | undefined => {
  const { inputSchema } = plan
  if (!isRecord(inputSchema)) return undefined
  const input = readRunInput(plan, raw)
  const inputNodes = Array.from(plan.nodes.values()).filter((node) => node.type === 'inputNode')
  if (input.form === 'flat') {
    return checkValues(inputSchema, Object.assign({}, ...inputNodes.map(preset), input.values), check)
  }
  return inputNodes
    .filter(({ id }) => Object.hasOwn(input.values, id))
    .map((node) => checkValues(inputSchema, { ...preset(node), ...own(input.values, node.id) }, check))
    .find((fault) => fault !== undefined)
}

/** Values that the author of the flow has put into the input node. */
const preset = (node: PlanNode): Inputs =>
  Object.fromEntries(Object.entries(node.inputs).filter(([, input]) => !isConnected(input)))

const checkValues = (schema: Inputs, values: Inputs, check: InputCheck): string | undefined => {
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find((name) => typeof name === 'string' && own(values, name) === undefined)
  return missing === undefined ? check(schema, values) : `input "${missing}" is required`
}
