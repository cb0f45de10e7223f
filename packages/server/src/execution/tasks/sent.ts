// Tasks that this process has sent to engines, as they were then. What decides whether anything waits for a task never
// changes after that, so its end can be known beforehand to touch nothing else. A task that is not found here may have
// been sent by another replica: its end is written as if something waited.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { TaskRow } from './row.ts'

/** One per worker and moment; those that ended elsewhere stay behind, until they are too many. */
const maxSent = 10_000

const sentOf = perPlatform(() => new LRUCache<string, TaskRow>({ max: maxSent }))

/** What callers and apps chose the size of decides nothing, and would be held for as long as a task runs. */
const withoutBulk = (task: TaskRow): TaskRow => ({
  ...task,
  input: null,
  setup: null,
  output: null,
  events: null,
  metadata: null,
})

export const rememberSent = (ctx: Ctx<Actor>, task: TaskRow): void => {
  sentOf(ctx).set(task.id, withoutBulk(task))
}

/** The task as it was sent, once: it is asked for when the task ends. */
export const takeSent = (ctx: Ctx<Actor>, id: string): TaskRow | undefined => {
  const sent = sentOf(ctx)
  const task = sent.peek(id)
  sent.delete(id)
  return task
}
