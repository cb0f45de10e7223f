// The input of a run: either flat, for the input node, or a map of node ids that overrides the inputs of those nodes.
import { isConnected } from '@millrace/contract/flow-inputs'
import { isRecord, own } from '@millrace/contract/json'
import { type NodeSources, resolveInputs } from './connections.ts'
import type { Plan, PlanNode } from './plan.ts'

type Inputs = Record<string, unknown>

export type RunInput = { form: 'flat'; values: Inputs } | { form: 'by node'; values: Record<string, Inputs> }

/** By node only if every key is a node of the graph and every value an object; an empty input is flat. */
export const readRunInput = (plan: Plan, input: Inputs): RunInput => {
  const entries = Object.entries(input)
  const byNode = entries.length > 0 && entries.every(([key, value]) => plan.nodes.has(key) && isRecord(value))
  return byNode ? { form: 'by node', values: input as Record<string, Inputs> } : { form: 'flat', values: input }
}

/**
 * The inputs of a node: the values of the run take precedence over those of the graph. A flat input is plain data, even
 * if it contains a `connection`; overrides are inputs like those of the graph.
 */
export const resolvedInputs = (node: PlanNode, input: RunInput, sources: NodeSources): Inputs => {
  if (input.form === 'by node') return resolveInputs({ ...node.inputs, ...own(input.values, node.id) }, sources)
  const resolved = resolveInputs(node.inputs, sources)
  return node.type === 'inputNode' ? { ...resolved, ...input.values } : resolved
}

export type InputCheck = (schema: Inputs, values: Inputs) => string | undefined

/**
 * The first error in the input of a new run. Only values for an input node can be validated, so a run that overrides
 * other nodes and not the input node is not checked.
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

/** Values of the input node that the author of the flow has set. */
const preset = (node: PlanNode): Inputs =>
  Object.fromEntries(Object.entries(node.inputs).filter(([, input]) => !isConnected(input)))

const checkValues = (schema: Inputs, values: Inputs, check: InputCheck): string | undefined => {
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required.find((name) => typeof name === 'string' && own(values, name) === undefined)
  return missing === undefined ? check(schema, values) : `input "${missing}" is required`
}
