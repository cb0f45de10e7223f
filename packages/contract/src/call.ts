// Calls of operations by name, for any client: input and answer are checked against the server's own declarations. No
// I/O: how a request travels, with which credential and what becomes of a refusal, is the business of `send`.
import type { Notice } from './common.ts'
import { type Operations, operationTable } from './operations.gen.ts'

export type OperationName = keyof Operations
type Table = typeof operationTable
type NamesWith<Flag extends string> = {
  [N in OperationName]: Table[N] extends Record<Flag, true> ? N : never
}[OperationName]

/** Operations that keep talking. */
export type StreamName = NamesWith<'stream'>
/** Operations that answer once. */
export type CallName = Exclude<OperationName, StreamName>

export type InputOf<N extends OperationName> = Operations[N]['input']
export type ReplyOf<N extends OperationName> = Operations[N]['reply']

export type CallOptions = {
  /** A second call with the same key gets the first answer and changes nothing. */
  readonly idempotencyKey?: string
  /** The tag or the version that the change was made from; refused when there is a newer one. */
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

/** The input may be left out where nothing in it is required. */
export type CallArguments<N extends OperationName> =
  Record<never, never> extends InputOf<N>
    ? [input?: InputOf<N>, options?: CallOptions]
    : [input: InputOf<N>, options?: CallOptions]

export type ApiRequest = CallOptions & {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With the query, ready to be put behind the server's address. */
  readonly path: string
  /** How `body` travels; null where there is none. */
  readonly encoding: 'json' | 'form' | 'bytes' | null
  readonly body?: unknown
  /** The answer comes without the envelope. */
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

/** Arrays and objects travel in a query as JSON text in one parameter. */
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

/** The request behind a call, for clients that do not know the operation until they run. */
export const requestOf = (name: OperationName, input: unknown = {}, options: CallOptions = {}): ApiRequest => {
  const row: Row = operationTable[name]
  const { path = {}, query = {}, body } = input as Parts
  const encoding = row.bytes ? 'bytes' : row.form ? 'form' : 'json'
  const hasBody = row.method !== 'GET'
  // A list that can only be read by GET takes in its query what others take in their body.
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

/** `send` resolves to the `data` of the answer (`dataOf`), and throws what the client makes of a refusal. */
export type Send = (request: ApiRequest) => Promise<unknown>

export type Call = <N extends CallName>(name: N, ...given: CallArguments<N>) => Promise<ReplyOf<N>>

/** `const call = createCall(send)`, then `await call('tasks.get', { path: { id } })`. */
export const createCall =
  (send: Send): Call =>
  async (name, ...[input, options]) =>
    (await send(requestOf(name, input, options))) as ReplyOf<typeof name>

export type Follow = <N extends StreamName>(name: N, ...given: CallArguments<N>) => AsyncIterable<ReplyOf<N>>

/** The same for operations that keep talking: `open` yields the data of one event after the other. */
export const createFollow =
  (open: (request: ApiRequest) => AsyncIterable<unknown>): Follow =>
  (name, ...[input, options]) =>
    open(requestOf(name, input, options)) as AsyncIterable<ReplyOf<typeof name>>

/** What an answer's JSON says: an envelope is taken off. */
export const dataOf = ({ bare }: ApiRequest, json: unknown): unknown =>
  !bare && typeof json === 'object' && json !== null && 'data' in json ? json.data : json

/** What it says besides. */
export const noticesOf = ({ bare }: ApiRequest, json: unknown): Notice[] =>
  !bare && typeof json === 'object' && json !== null && 'messages' in json && Array.isArray(json.messages)
    ? (json.messages as Notice[])
    : []
