// The checks of an operation that need state: rate limits, idempotency, fair queueing and revocation. Implemented by
// the feature that owns credentials.
import type { Notice } from '@millrace/contract/common'
import type { Actor, Member } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { RateLimit } from './operation.ts'

export type OperationAnswer = { readonly data: unknown; readonly notices: readonly Notice[] }

/** A call with an idempotency key. Two calls with one key are the same call if `route` and `request` are equal. */
export type OnceOnly = { readonly key: string; readonly route: string; readonly request: unknown }

/** `reachesOut`: the work calls other servers, so it must not run inside the transaction of its key. */
export type OnceOnlyWork = OnceOnly & { readonly reachesOut: boolean }

/** Registers a callback for the client's disconnect. */
export type OnDisconnect = (onClosed: () => void) => void

export type Gate = {
  /**
   * Calls back when the caller's credential, person or workspace loses access. Returns a function that stops watching.
   */
  watch(actor: Actor, onLoss: () => void): () => void
  /** Counts one call against a limit. Returns the rate limit headers or throws `rate_limited`. */
  limit(ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>>
  /** Runs the work in the fair queue: at once, unless the workspace floods a busy server. */
  turn<T>(actor: Actor, work: () => Promise<T>, onDisconnect?: OnDisconnect): Promise<T>
  /** The same for work of a workspace without a caller, such as an incoming webhook. */
  workspaceTurn<T>(teamId: string, work: () => Promise<T>): Promise<T>
  /**
   * Counts processor time that was used outside a turn. Returns how many milliseconds the caller should pause, which is
   * 0 unless it floods a busy server.
   */
  charge(actor: Actor, spentMs: number): number
  /** The number of calls in the fair queue. */
  callsWaiting(): number
  /** Throws the refusal of a workspace whose storage has no room for what an operation stores. */
  requireRoom(ctx: Ctx<Actor>, bytes: number | 'unknown'): Promise<void>
  /** Runs the work once per key; a repeated call gets the stored answer. */
  once(
    ctx: Ctx<Member>,
    call: OnceOnlyWork,
    work: (ctx: Ctx<Member>) => Promise<OperationAnswer>,
  ): Promise<OperationAnswer & { readonly replayed: boolean }>
}
