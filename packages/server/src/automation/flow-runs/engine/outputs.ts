// Nodes with several outputs: the cases of a switch, `error`, and `timeout`. A dependency on an output that the node did
// not choose has no value.
import type { ConnectedInput } from '@millrace/contract/flow-inputs'
import type { FlowEdge, FlowNode, NodeData } from '@millrace/contract/flows'

export const errorHandle = 'error'
export const timeoutHandle = 'timeout'
export const defaultHandle = 'default'

/** A dependency on one node. */
export type NodeDependency = {
  /** The outputs of the source; one of them is enough. */
  handles: readonly string[]
  /** All connections have a fallback value, so the node also runs without the source. */
  optional: boolean
}

export const continuesAtError = ({ on_error }: NodeData): boolean => on_error === 'branch'

/** The named output, or `` for the normal one. Other nodes ignore handles, because editors may store their own. */
export const handleOf = (type: FlowNode['type'], data: NodeData, raw: string | undefined): string => {
  const handle = raw ?? ''
  if (handle === errorHandle && continuesAtError(data)) return errorHandle
  if (type === 'switch') return handle
  return type === 'wait' && handle === timeoutHandle ? timeoutHandle : ''
}

/** Edges without a handle that repeat a connection do not count. */
export const dependencyOf = (
  normal: (raw: string | undefined) => string,
  edges: readonly FlowEdge[],
  inputs: readonly ConnectedInput[],
): NodeDependency => {
  const drawn = edges.map(({ source_handle }) => normal(source_handle)).filter((handle) => handle !== '')
  const connected = inputs.map(({ connection }) => normal(connection.handle))
  const handles = [...new Set([...drawn, ...connected])]
  return {
    handles: handles.length > 0 ? handles : [''],
    optional: drawn.length === 0 && inputs.length > 0 && inputs.every(({ value }) => value !== undefined),
  }
}

/** Runs if at least one dependency has a value; other nodes need all of them. */
export const isJoin = (type: FlowNode['type']): boolean => type === 'merge' || type === 'outputNode'
