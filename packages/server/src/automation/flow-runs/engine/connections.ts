// Resolves the inputs of a node: connections at any depth become the values of their sources.
import { isConnected, isSoundConnection } from '@millrace/contract/flow-inputs'
import type { Connection } from '@millrace/contract/flows'
import { isRecord, own } from '@millrace/contract/json'

/** The value that other nodes can read. Only the result of a utility node is `stored`. */
export type NodeSource = { stored: boolean; value: unknown }

/** `handle`: the output of the node, as the connection names it. */
export type NodeSources = (nodeId: string, handle?: string) => NodeSource | undefined

/**
 * The whole value for the key `value`, for no key, and for anything that is not a map; otherwise that entry of the map.
 * A task output or the run input may have a field `value`; a stored value has no such field.
 */
export const followConnection = ({ nodeId, key = '', handle }: Connection, sources: NodeSources): unknown => {
  const source = sources(nodeId, handle)
  if (!source) return undefined
  const { stored, value } = source
  if (key === '' || !isRecord(value)) return value
  if (key === 'value' && (stored || !Object.hasOwn(value, 'value'))) return value
  return own(value, key)
}

/** A connection without a value uses its own `value` as fallback; otherwise undefined, and the key is omitted. */
export const resolveInput = (input: unknown, sources: NodeSources): unknown => {
  if (isSoundConnection(input)) {
    const value = followConnection(input.connection, sources)
    return value === undefined ? input.value : value
  }
  if (isConnected(input)) return undefined
  if (Array.isArray(input)) return input.map((item) => resolveInput(item, sources) ?? null)
  if (isRecord(input)) return resolveInputs(input, sources)
  return input
}

export const resolveInputs = (inputs: Record<string, unknown>, sources: NodeSources): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputs)
      .map(([key, input]) => [key, resolveInput(input, sources)] as const)
      .filter(([, value]) => value !== undefined),
  )
