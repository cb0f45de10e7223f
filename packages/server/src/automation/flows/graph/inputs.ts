// Changes of a node's inputs by edits: validates connections, follows a rename, and disconnects.
import { connectionsIn, isConnected, isSoundConnection } from '@millrace/contract/flow-inputs'
import { isRecord } from '@millrace/contract/json'

/** The first error in the connections of an input; undefined if there is none. */
export const connectionFault = (input: unknown): string | undefined => {
  if (isConnected(input)) {
    const { connection } = input
    if (!isRecord(connection)) return 'connection must be an object'
    if (typeof connection.nodeId !== 'string' || connection.nodeId === '') return 'connection.nodeId must name a node'
    if (connection.key !== undefined && typeof connection.key !== 'string') return 'connection.key must be a string'
    if (connection.handle !== undefined && typeof connection.handle !== 'string')
      return 'connection.handle must be a string'
    if (connection.type !== undefined && typeof connection.type !== 'string') return 'connection.type must be a string'
    return undefined
  }
  return nested(input)
    .map(connectionFault)
    .find((fault) => fault !== undefined)
}

const nested = (input: unknown): unknown[] => (typeof input === 'object' && input !== null ? Object.values(input) : [])

export const refersTo = (input: unknown, nodeId: string): boolean =>
  connectionsIn(input).some((connection) => connection.nodeId === nodeId)

export const renameInInput = (input: unknown, from: string, to: string): unknown => {
  if (isSoundConnection(input)) {
    return input.connection.nodeId === from ? { ...input, connection: { ...input.connection, nodeId: to } } : input
  }
  if (Array.isArray(input)) return input.map((item) => renameInInput(item, from, to))
  if (isRecord(input) && !isConnected(input)) {
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [key, renameInInput(item, from, to)]))
  }
  return input
}

/**
 * The input without its connections to a removed node. A connection is replaced by its fallback value; without one, its
 * key is removed, and in a list it becomes null. `undefined` if nothing is left.
 */
export const disconnect = (input: unknown, nodeId: string): unknown => {
  if (isSoundConnection(input)) return input.connection.nodeId === nodeId ? input.value : input
  if (Array.isArray(input)) return input.map((item) => disconnect(item, nodeId) ?? null)
  if (isRecord(input) && !isConnected(input)) {
    return Object.fromEntries(
      Object.entries(input)
        .map(([key, item]) => [key, disconnect(item, nodeId)] as const)
        .filter(([, item]) => item !== undefined),
    )
  }
  return input
}
