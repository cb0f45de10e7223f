import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** A provider whose addresses changed. Its connections hold tokens of the old addresses. */
export type MovedProvider = { readonly teamId: string; readonly slug: string }

/** Ends connections in the transaction that moves their provider. The returned function is called after the commit. */
export const providerMoved =
  extensionPoint<(ctx: Ctx, moved: MovedProvider) => Promise<() => Promise<void>>>('provider moved')
