// Tasks that this process sent to engines, as they were then. The properties that decide whether the end of a task has
// further effects never change after dispatch. If they show none, the end needs no transaction. A task that is missing
// here may have been sent by another replica and is ended in a transaction.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { TaskRow } from './row.ts'

/** About one per busy worker. Tasks that ended through another replica stay until the cache evicts them. */
const maxSent = 10_000

const sentOf = perPlatform(() => new LRUCache<string, TaskRow>({ max: maxSent }))

/**
 * Input, output and other values of arbitrary size are not needed here and would occupy memory for as long as the task
 * runs.
 */
const withoutBulk = (task: TaskRow): TaskRow => ({
  ...task,
  input: null,
  setup: null,
  output: null,
  events: null,
  metadata: null,
})

export const addSent = (ctx: Ctx<Actor>, task: TaskRow): void => {
  sentOf(ctx).set(task.id, withoutBulk(task))
}

/** Removes the entry: it is only needed for the end of the task. */
export const takeSent = (ctx: Ctx<Actor>, id: string): TaskRow | undefined => {
  const sent = sentOf(ctx)
  const task = sent.peek(id)
  sent.delete(id)
  return task
}
