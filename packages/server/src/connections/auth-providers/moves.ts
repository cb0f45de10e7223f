// A provider that leads elsewhere than before takes no connections along: their holders signed in at the old addresses.
import type { Ctx } from '#platform/core/ctx.ts'
import { type MovedProvider, providerMoved } from './extension-points.ts'

/** In the transaction of the change and before it is written; call what it returns after the commit. */
export const leaveConnections = async (ctx: Ctx, moved: MovedProvider): Promise<() => Promise<void>> => {
  const farewells = await Promise.all(ctx.extensions.listenersOf(providerMoved).map((leave) => leave(ctx, moved)))
  return async () => {
    for (const farewell of farewells) await farewell()
  }
}

export const nothingLeft = async (): Promise<void> => {}
