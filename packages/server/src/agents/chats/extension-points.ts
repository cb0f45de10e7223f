import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** A chat that a coding agent on a remote runs. */
export type DrivenChat = {
  readonly id: string
  readonly remote_id: string | null
  readonly profile_id: string | null
  readonly harness_session_id: string
  readonly active_run_id: string | null
  readonly deleted_at: string | null
}

/** The remotes behind chats of coding agents. */
export type HarnessProvider = {
  /** Opens a session for a new chat, or throws the reason why it cannot. */
  begin(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** Throws when the remote is not reachable. */
  assertReachable(ctx: Ctx<Member>, chat: DrivenChat): Promise<void>
  /** True if the agent accepts messages while it works. */
  steers(ctx: Ctx<Actor>, chat: DrivenChat): Promise<boolean>
  /** Called in the transaction of a change that the remote may have to receive. */
  changed(ctx: Ctx<Actor>, chat: DrivenChat): Promise<void>
}

export const harness = extensionPoint<HarnessProvider>('harness')
