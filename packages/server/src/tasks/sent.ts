// Tasks that this process has sent to engines, as they were then. What decides whether anything waits for a task never
// changes after that, so its end can be known beforehand to touch nothing else. A task that is not found here may have
// been sent by another replica: its end is written as if something waited.
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import type { TaskRow } from './row.ts'

/** One per worker and moment; those that ended elsewhere stay behind, until they are too many. */
const maxSent = 10_000

const sentOf = perPlatform(() => new Map<string, TaskRow>())

export const rememberSent = (ctx: Ctx<Actor>, task: TaskRow): void => {
  const sent = sentOf(ctx)
  if (sent.size >= maxSent) sent.clear()
  sent.set(task.id, task)
}

/** The task as it was sent, once: it is asked for when the task ends. */
export const takeSent = (ctx: Ctx<Actor>, id: string): TaskRow | undefined => {
  const sent = sentOf(ctx)
  const task = sent.get(id)
  sent.delete(id)
  return task
}
