import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

export type ConnectedCredential = { readonly teamId: string; readonly provider: string; readonly id: string }

/** In the transaction that completes a connection: runs that waited for it continue. */
export const credentialConnected =
  extensionPoint<(ctx: Ctx<Actor>, connected: ConnectedCredential) => Promise<void>>('credential connected')
