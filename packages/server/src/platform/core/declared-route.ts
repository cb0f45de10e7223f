// A route that is not an operation: a page, a socket, a stream of bytes. It has its own handler, but its access is
// declared and part of the policy table.
import type { ErrorCode } from '@millrace/contract/errors'
import type { Scope } from '@millrace/contract/scopes'
import type { TSchema } from 'typebox'
import type { Route } from './operation.ts'

/**
 * public: anyone · browser: a signed-in browser, others are redirected to sign-in · signed link: the signature of the
 * URL gives access · socket token: a token for this socket · credential: any key or session token · otherwise: the
 * scope that the credential must have.
 */
export type RouteAccess = Scope | 'public' | 'browser' | 'signed link' | 'socket token' | 'credential'

/** The entry of a route in the API reference. */
export type RouteReference = {
  readonly summary: string
  readonly access: string
  readonly path?: TSchema
  readonly query?: TSchema
  readonly contentType: string
  readonly fails: readonly ErrorCode[]
}

export type DeclaredRoute = {
  readonly name: string
  readonly route: Route | `WS /${string}`
  readonly access: RouteAccess
  /** Missing for pages, sockets and addresses that responses contain. */
  readonly reference?: RouteReference
}
