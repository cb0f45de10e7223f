// When the addresses of a provider change, its connections end, because their owners signed in at the old addresses.
import type { Ctx } from '#platform/core/ctx.ts'
import { type MovedProvider, providerMoved } from './extension-points.ts'

/** Call inside the transaction, before the change is written, and call the returned function after the commit. */
export const endConnections = async (ctx: Ctx, moved: MovedProvider): Promise<() => Promise<void>> => {
  const revocations = await Promise.all(
    ctx.extensions.listenersOf(providerMoved).map((listener) => listener(ctx, moved)),
  )
  return async () => {
    for (const revoke of revocations) await revoke()
  }
}

export const noRevocation = async (): Promise<void> => {}
