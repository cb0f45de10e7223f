import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** A cloud is deleted although its broker has not confirmed that its machines are gone: ends their rentals. */
export const machinesAbandoned = extensionPoint<(ctx: Ctx<Actor>, cloud: string) => Promise<void>>(
  'machines of a cloud abandoned',
)
