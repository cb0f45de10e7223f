// An operation is a value: it names its doors, who may call it, what goes in and out, how it may fail, and the function
// that runs. HTTP, OpenAPI and the tests read the same list. An open door has to be spelled: there is no default.
import type { ErrorCode } from '@millrace/contract/errors'
import type { Scope } from '@millrace/contract/scopes'
import type { Static, TSchema } from 'typebox'
import type { Actor, Member, TeamRole } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { EventStream } from './event-stream.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Door = `${Method} /${string}`

/**
 * public: no credential is looked at · optional: a credential is used when it is sent ·
 * authenticated: any valid credential · otherwise the scope that the credential must hold.
 */
export type Access = Scope | 'public' | 'optional' | 'authenticated'

export type Capability = 'create_keys' | 'manage_keys'
export type RateLimit = 'run' | 'get_task' | 'upload'

/** What an operation may do to the answer besides returning data. */
export type Wire = {
  header(name: string, value: string): void
  setCookie(name: string, value: string, options: { maxAgeSeconds: number; httpOnly: boolean }): void
  clearCookie(name: string): void
  /** Answers with a redirect; whatever `run` returns is dropped. */
  redirect(url: string): void
  /** Answers 204 without a body; whatever `run` returns is dropped. */
  noContent(): void
  /** Answers 304 without a body; whatever `run` returns is dropped. */
  notModified(): void
  /** Request headers, lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

type Of<S> = S extends TSchema ? Static<S> : undefined

export type Input<P, Q, B> = { path: Of<P>; query: Of<Q>; body: Of<B> }

/** Resources that can be public are read by anyone; everywhere else a caller is a member. */
type CtxFor<A extends Access, O> = A extends 'public' | 'optional'
  ? Ctx<Actor>
  : O extends true
    ? Ctx<Actor>
    : Ctx<Member>

type OperationSpec<
  A extends Access,
  O extends true | undefined,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
  R extends TSchema,
> = {
  name: string
  door: Door | readonly Door[]
  summary: string
  scope: A
  /** A scope that opens the door as well; what its holder may not do with it, the service refuses. */
  orScope?: Scope
  /** A scope that the credential must hold besides. */
  andScope?: Scope
  /** Least role in the active workspace, checked after the scope. */
  role?: TeamRole
  capability?: Capability
  /** The credential must be a browser's cookie session. */
  browserOnly?: true
  /** A read of a resource that can be public: without the scope the caller sees what a signed-out caller sees. */
  publicRows?: O
  rateLimit?: RateLimit
  /** Requests that the limit does not count. With it, counting waits until the input has been read. */
  uncounted?: (actor: Actor, input: Input<P, Q, B>) => boolean
  path?: P
  query?: Q
  body?: B
  /** Code for a missing required field, where it is not `validation_error`. */
  missingField?: 'invalid_request'
  /** Code for a field of the wrong form, likewise. */
  wrongField?: 'invalid_request'
  bodyLimitBytes?: number
  /** The body arrives as the bytes that were sent, of any content type; one that is too large is `invalid_request`. */
  bytes?: true
  /** `form`: an OAuth door: form-encoded body, bare answer, RFC 6749 errors. */
  form?: true
  reply: R
  /** Answers without the `{data, messages}` envelope. */
  bare?: true
  /** Both doors of a list: `GET /x` takes `body` from its query, `POST /x/list` from its body. */
  list?: true
  /** Answers with an event stream: `run` returns an `EventStream`, `reply` describes one event's data. */
  stream?: true
  /**
   * `never`: an Idempotency-Key is ignored. For answers that hold a secret exactly once, and where a refusal must leave
   * a trace (a counted guess) that the key's transaction would undo.
   */
  replay?: 'never'
  /**
   * The work calls other servers. With an Idempotency-Key no transaction is open meanwhile: the key is claimed in one and the
   * answer stored in another.
   */
  reachesOut?: true
  /** A GET that changes something, such as a link that works once: HEAD must not do the same. */
  unsafeGet?: true
  fails?: readonly ErrorCode[]
  /** Statuses of failures that travel with another one from here than from elsewhere. */
  statuses?: Partial<Record<ErrorCode, number>>
  run: (ctx: CtxFor<A, O>, input: Input<P, Q, B>, wire: Wire) => Promise<Static<R>> | Static<R>
  /**
   * What happens after `run` has committed, such as waiting for the result. An idempotent replay stores the answer of
   * `run` and then follows again.
   */
  follow?: (ctx: CtxFor<A, O>, result: Static<R>, input: Input<P, Q, B>) => Promise<Static<R> | EventStream>
}

export type AnyInput = { path: unknown; query: unknown; body: unknown }

type AnySpec = OperationSpec<
  Access,
  true | undefined,
  TSchema | undefined,
  TSchema | undefined,
  TSchema | undefined,
  TSchema
>

/** The declaration as doors and tests read it: `operation()` has checked that the functions fit the schemas. */
export type Operation = Readonly<Omit<AnySpec, 'door' | 'uncounted' | 'run' | 'follow'>> & {
  readonly doors: readonly Door[]
  readonly uncounted?: (actor: Actor, input: AnyInput) => boolean
  readonly run: (ctx: Ctx<Actor>, input: AnyInput, wire: Wire) => unknown
  readonly follow?: (ctx: Ctx<Actor>, result: unknown, input: AnyInput) => Promise<unknown>
}

export const operation = <
  const A extends Access,
  R extends TSchema,
  O extends true | undefined = undefined,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>({
  door,
  ...spec
}: OperationSpec<A, O, P, Q, B, R>): Operation =>
  ({ ...spec, doors: typeof door === 'string' ? [door] : door }) as unknown as Operation

export const splitDoor = (door: Door): { method: Method; path: string } => {
  const space = door.indexOf(' ')
  return { method: door.slice(0, space) as Method, path: door.slice(space + 1) }
}
