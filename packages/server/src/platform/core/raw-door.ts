// A route that is not an operation: a page, a socket, a stream of bytes. It has its own handler, but its access is
// declared and part of the policy table.
import type { Scope } from '@millrace/contract/scopes'
import type { Door } from './operation.ts'

/**
 * public: anyone · browser: a signed-in browser, others are redirected to sign-in · signed link: the signature of the
 * URL gives access · socket token: a token for this socket · credential: any key or session token · otherwise: the
 * scope that the credential must have.
 */
export type RawAccess = Scope | 'public' | 'browser' | 'signed link' | 'socket token' | 'credential'

export type RawDoor = {
  readonly name: string
  readonly door: Door | `WS /${string}`
  readonly access: RawAccess
}
