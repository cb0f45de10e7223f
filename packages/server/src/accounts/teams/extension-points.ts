import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { extensionPoint } from '#platform/core/extension-points.ts'

/** In the transaction that archives a workspace. */
export const workspaceArchived =
  extensionPoint<(ctx: Ctx<Actor>, teamId: string) => Promise<void>>('workspace archived')

/** In the transaction that ends a membership: work in the person's name ends with it. */
export const memberLeft =
  extensionPoint<(ctx: Ctx<Actor>, teamId: string, userId: string) => Promise<void>>('member left')
