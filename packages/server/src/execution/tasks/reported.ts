// Ids of tasks whose status this process has published. A stream of a task that was just inserted may use the inserted
// row as its snapshot if no change was published before the stream subscribed.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'

/** Far more than one turn of the event loop can publish. */
const maxReported = 20_000

const reportedOf = perPlatform(() => new LRUCache<string, true>({ max: maxReported }))

export const addReported = (ctx: Ctx<Actor>, id: string): void => {
  reportedOf(ctx).set(id, true)
}

export const wasReported = (ctx: Ctx<Actor>, id: string): boolean => reportedOf(ctx).has(id)
