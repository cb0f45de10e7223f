import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** An engine that accepts no more tasks. */
export type EndedEngine = { readonly id: string; readonly reason: string }

/** In the transaction that ends the engine, and again when a stopping engine has disconnected. */
export const engineEnded = extensionPoint<(ctx: Ctx<Actor>, engine: EndedEngine) => Promise<void>>('engine ended')
