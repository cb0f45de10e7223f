// A door that is not an operation: a page, a socket, a stream of bytes. What it does is code of its own; that it is there
// and who may come in is declared, and stands in the policy table beside the operations.
import type { Scope } from '@millrace/contract/scopes'
import type { Door } from './operation.ts'

/**
 * public: anyone · browser: a signed-in browser, anyone else is led to sign in · signed link: the address itself is the
 * permission · socket token: a token made for this one socket · credential: any key or session token ·
 * otherwise the scope that the credential must hold.
 */
export type RawAccess = Scope | 'public' | 'browser' | 'signed link' | 'socket token' | 'credential'

export type RawDoor = {
  readonly name: string
  readonly door: Door | `WS /${string}`
  readonly access: RawAccess
}
