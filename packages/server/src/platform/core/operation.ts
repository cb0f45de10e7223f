// An operation is a value: its routes, access, schemas, failures and function. HTTP, OpenAPI and the tests read the
// same list. Access has no default.
import type { ErrorCode } from '@millrace/contract/errors'
import type { Scope } from '@millrace/contract/scopes'
import type { Static, TSchema } from 'typebox'
import type { Actor, Member, TeamRole } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { Failure } from './errors.ts'
import type { EventStream } from './event-stream.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route = `${Method} /${string}`

/**
 * public: credentials are ignored · optional: a credential is used if present · authenticated: any valid credential ·
 * otherwise: the scope that the credential must have.
 */
export type Access = Scope | 'public' | 'optional' | 'authenticated'

export type Capability = 'create_keys' | 'manage_keys'
export type RateLimit = 'run' | 'get_task' | 'upload'

/** Changes that an operation can make to the response besides its data. */
export type Wire = {
  header(name: string, value: string): void
  setCookie(name: string, value: string, options: { maxAgeSeconds: number; httpOnly: boolean }): void
  clearCookie(name: string): void
  /** Responds with a redirect and ignores the result of `run`. */
  redirect(url: string): void
  /** Responds with 204 and ignores the result of `run`. */
  noContent(): void
  /** Responds with 304 and ignores the result of `run`. */
  notModified(): void
  /** Request headers with lower-case names. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

type Of<S> = S extends TSchema ? Static<S> : undefined

export type Input<P, Q, B> = { path: Of<P>; query: Of<Q>; body: Of<B> }

/** Guests can call operations on public rows; for all others the caller is a member. */
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
  route: Route | readonly Route[]
  summary: string
  scope: A
  /** A scope that also gives access; the service refuses the parts that it does not cover. */
  orScope?: Scope
  /** An additional required scope. */
  andScope?: Scope
  /** Scopes that the service checks for parts of a call (`scope-checks.ts`): refused, hidden or filtered without them. */
  checkedScopes?: readonly Scope[]
  /** Minimum role in the active workspace, checked after the scope. */
  role?: TeamRole
  capability?: Capability
  /** Requires a browser session (cookie). */
  browserOnly?: true
  /** A read of a resource that can be public: a caller without the scope reads as a guest. */
  publicRows?: O
  rateLimit?: RateLimit
  /** Requests that do not count against the limit. Counting then happens after validation. */
  uncounted?: (actor: Actor, input: Input<P, Q, B>) => boolean
  path?: P
  query?: Q
  body?: B
  /** Error code for a missing required field if it is not `validation_error`. */
  missingField?: 'invalid_request'
  /** Error code for an invalid field if it is not `validation_error`. */
  wrongField?: 'invalid_request'
  bodyLimitBytes?: number
  /** The body is passed as bytes, with any content type. A body that is too large is `invalid_request`. */
  bytes?: true
  /** The bytes are a form with files. */
  multipart?: true
  /** An OAuth route: form-encoded body, response without envelope, RFC 6749 errors. */
  form?: true
  /** Errors have the shape of OpenAI's API instead of a problem. */
  errors?: 'openai'
  reply: R
  /** Responds with 201 instead of 200, where a standard requires it. */
  created?: true
  /** Responds without the `{data, messages}` envelope. */
  bare?: true
  /** Both routes of a list: `GET /x` reads `body` from the query, `POST /x/list` from the body. */
  list?: true
  /** Responds with an event stream: `run` returns an `EventStream`, `reply` describes the data of one event. */
  stream?: true
  /**
   * `never`: the Idempotency-Key is ignored. For responses that contain a secret once, and for refusals that must be
   * stored (a counted attempt), which the transaction of the key would roll back.
   */
  replay?: 'never'
  /**
   * The work calls other servers. With an Idempotency-Key, the key is claimed in one transaction and the response
   * stored in another, so that no transaction is open during the call.
   */
  reachesOut?: true
  /** Stores its body, or a copy of rows: refused while the storage of the workspace is full. */
  stores?: 'body' | 'copy'
  /** A GET with side effects, such as a link that works once. HEAD must not run it. */
  unsafeGet?: true
  fails?: readonly ErrorCode[]
  /** Failures whose status on this operation differs from the usual one. */
  statuses?: Partial<Record<ErrorCode, number>>
  run: (ctx: CtxFor<A, O>, input: Input<P, Q, B>, wire: Wire) => Promise<Static<R>> | Static<R>
  /**
   * Runs after `run` has committed, for example to wait for a result. An idempotent replay returns the stored result of
   * `run` and runs `follow` again.
   */
  follow?: (ctx: CtxFor<A, O>, result: Static<R>, input: Input<P, Q, B>) => Promise<Static<R> | EventStream>
  /**
   * `follow` can take minutes: whitespace is sent meanwhile, so that no proxy ends the connection. A failure after the
   * first whitespace has the status 200 and this body.
   */
  lateFailure?: (result: Static<R>, failure: Failure) => object
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

/** The declaration without its type parameters. `operation()` has checked that the functions match the schemas. */
export type Operation = Readonly<Omit<AnySpec, 'route' | 'uncounted' | 'run' | 'follow' | 'lateFailure'>> & {
  readonly routes: readonly Route[]
  readonly uncounted?: (actor: Actor, input: AnyInput) => boolean
  readonly run: (ctx: Ctx<Actor>, input: AnyInput, wire: Wire) => unknown
  readonly follow?: (ctx: Ctx<Actor>, result: unknown, input: AnyInput) => Promise<unknown>
  readonly lateFailure?: (result: unknown, failure: Failure) => object
}

export const operation = <
  const A extends Access,
  R extends TSchema,
  O extends true | undefined = undefined,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>({
  route,
  ...spec
}: OperationSpec<A, O, P, Q, B, R>): Operation =>
  ({ ...spec, routes: typeof route === 'string' ? [route] : route }) as unknown as Operation

export const splitRoute = (route: Route): { method: Method; path: string } => {
  const space = route.indexOf(' ')
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) }
}
