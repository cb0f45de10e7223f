// Calls operations by name, for any client. Input and reply are typed by the server's declarations. No I/O: `send`
// handles transport, credentials and errors.
import type { Notice } from './common.ts'
import { type Operations, operationTable } from './operations.gen.ts'

export type OperationName = keyof Operations
type Table = typeof operationTable
type NamesWith<Flag extends string> = {
  [N in OperationName]: Table[N] extends Record<Flag, true> ? N : never
}[OperationName]

/** Streaming operations. */
export type StreamName = NamesWith<'stream'>
/** Operations with a single reply. */
export type CallName = Exclude<OperationName, StreamName>

export type InputOf<N extends OperationName> = Operations[N]['input']
export type ReplyOf<N extends OperationName> = Operations[N]['reply']

export type CallOptions = {
  /** A second call with the same key returns the first reply and changes nothing. */
  readonly idempotencyKey?: string
  /** The ETag or version that the change is based on; rejected if there is a newer one. */
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

/** The input is optional if none of its fields is required. */
export type CallArguments<N extends OperationName> =
  Record<never, never> extends InputOf<N>
    ? [input?: InputOf<N>, options?: CallOptions]
    : [input: InputOf<N>, options?: CallOptions]

export type ApiRequest = CallOptions & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Includes the query; append it to the server's URL. */
  readonly path: string
  /** Encoding of `body`; null without a body. */
  readonly encoding: 'json' | 'form' | 'bytes' | null
  readonly body?: unknown
  /** The reply has no envelope. */
  readonly bare: boolean
}

type Row = {
  readonly method: ApiRequest['method']
  readonly path: string
  readonly bare?: true
  readonly bytes?: true
  readonly form?: true
}

type Parts = { path?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** Arrays and objects are sent as JSON text in one query parameter. */
const queryText = (query: Record<string, unknown>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null)
      parameters.set(name, typeof value === 'object' ? JSON.stringify(value) : `${value}`)
  return parameters.size === 0 ? '' : `?${parameters}`
}

const filled = (path: string, values: Record<string, unknown>): string =>
  path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = values[name]
    if (value === undefined || value === '') throw new Error(`${name} is missing`)
    return encodeURIComponent(`${value}`)
  })

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(operationTable, name)

/** The request of a call, for clients that learn the operation only at run time. */
export const requestOf = (name: OperationName, input: unknown = {}, options: CallOptions = {}): ApiRequest => {
  const row: Row = operationTable[name]
  const { path = {}, query = {}, body } = input as Parts
  const encoding = row.bytes ? 'bytes' : row.form ? 'form' : 'json'
  const hasBody = row.method !== 'GET'
  // Lists that can only be read by GET accept in the query what others accept in the body.
  const asked = hasBody ? query : { ...query, ...(body as Record<string, unknown> | undefined) }
  return {
    ...options,
    method: row.method,
    path: filled(row.path, path) + queryText(asked),
    encoding: hasBody ? encoding : null,
    ...(hasBody ? { body: body ?? {} } : {}),
    bare: row.bare === true,
  }
}

/** `send` resolves to the `data` of the reply (`dataOf`), and throws the client's own error for a rejection. */
export type Send = (request: ApiRequest) => Promise<unknown>

export type Call = <N extends CallName>(name: N, ...given: CallArguments<N>) => Promise<ReplyOf<N>>

/** `const call = createCall(send)`, then `await call('tasks.get', { path: { id } })`. */
export const createCall =
  (send: Send): Call =>
  async (name, ...[input, options]) =>
    (await send(requestOf(name, input, options))) as ReplyOf<typeof name>

export type Follow = <N extends StreamName>(name: N, ...given: CallArguments<N>) => AsyncIterable<ReplyOf<N>>

/** The same for streaming operations: `open` yields the data of each event. */
export const createFollow =
  (open: (request: ApiRequest) => AsyncIterable<unknown>): Follow =>
  (name, ...[input, options]) =>
    open(requestOf(name, input, options)) as AsyncIterable<ReplyOf<typeof name>>

/** The data in a reply's JSON, without the envelope. */
export const dataOf = ({ bare }: ApiRequest, json: unknown): unknown =>
  !bare && typeof json === 'object' && json !== null && 'data' in json ? json.data : json

/** The notices in the envelope. */
export const noticesOf = ({ bare }: ApiRequest, json: unknown): Notice[] =>
  !bare && typeof json === 'object' && json !== null && 'messages' in json && Array.isArray(json.messages)
    ? (json.messages as Notice[])
    : []
