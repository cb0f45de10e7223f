// What stands between any door and an operation besides its own declaration: limits, keys that let a call happen once,
// and word of what is taken from a caller. Kept by the feature that knows credentials.
import type { Notice } from '@millrace/contract/common'
import type { Actor, Member } from './actor.ts'
import type { Ctx } from './ctx.ts'
import type { RateLimit } from './operation.ts'

export type Answer = { readonly data: unknown; readonly notices: readonly Notice[] }

/** A call that must not happen twice. `door` and `request` tell whether a second one under the same key is the same. */
export type OnceOnly = { readonly key: string; readonly door: string; readonly request: unknown }

/** `reachesOut`: the work calls other servers, so that it must not run inside the transaction of its key. */
export type OnceOnlyWork = OnceOnly & { readonly reachesOut: boolean }

/** Calls back when the caller has left. */
export type WhenGone = (tell: () => void) => void

export type Gate = {
  /** Calls back when something is taken from the caller's credential, person or workspace; returns how to stop watching. */
  watch(actor: Actor, onLoss: () => void): () => void
  /** Counts one call against a limit; the headers to send along, or a `rate_limited` failure. */
  limit(ctx: Ctx<Actor>, name: RateLimit): Promise<Record<string, string>>
  /** Does the work when it is the caller's turn: at once, unless its workspace floods the server beside others. */
  turn<T>(actor: Actor, work: () => Promise<T>, whenGone?: WhenGone): Promise<T>
  /** How many wait for their turn. */
  callsWaiting(): number
  /** Does the work once for its key, or returns the answer that the key has had before. */
  once(
    ctx: Ctx<Member>,
    call: OnceOnlyWork,
    work: (ctx: Ctx<Member>) => Promise<Answer>,
  ): Promise<Answer & { readonly replayed: boolean }>
}
