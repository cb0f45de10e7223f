// Inputs of a flow node: plain JSON, or an object with a `connection` key, at any depth.
import type { Connection } from './flows.ts'
import { isRecord, type JsonRecord } from './json.ts'

export type ConnectedInput = { connection: Connection; value?: unknown }

/** Any object with a `connection` key counts as a connection, even if it is invalid. */
export const isConnected = (input: unknown): input is JsonRecord & { connection: unknown } =>
  isRecord(input) && Object.hasOwn(input, 'connection')

export const isSoundConnection = (input: unknown): input is ConnectedInput =>
  isConnected(input) && isRecord(input.connection) && typeof input.connection.nodeId === 'string'

export const connectedInputsIn = (input: unknown): ConnectedInput[] => {
  if (isConnected(input)) return isSoundConnection(input) ? [input] : []
  return typeof input === 'object' && input !== null ? Object.values(input).flatMap(connectedInputsIn) : []
}

export const connectionsIn = (input: unknown): Connection[] =>
  connectedInputsIn(input).map(({ connection }) => connection)

/** The output that a connection to a node with several outputs uses. */
export const urlHandle = 'url'

/** The URL of a node is known before the node starts, so the connection orders nothing. */
export const isOrdering = ({ handle }: Connection): boolean => handle !== urlHandle
