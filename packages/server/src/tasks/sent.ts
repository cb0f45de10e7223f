// Tasks that this process has sent to engines, as they were then. What decides whether anything waits for a task never
// changes after that, so its end can be known beforehand to touch nothing else. A task that is not found here may have
// been sent by another replica: its end is written as if something waited.
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import type { Hooks } from '../core/hooks.ts'
import type { TaskRow } from './store.ts'

/** One per worker and moment; those that ended elsewhere stay behind, until they are too many. */
const maxSent = 10_000

const sentBy = new WeakMap<Hooks, Map<string, TaskRow>>()

const sentOf = ({ hooks }: Ctx<Actor>): Map<string, TaskRow> => {
  const known = sentBy.get(hooks)
  if (known) return known
  const made = new Map<string, TaskRow>()
  sentBy.set(hooks, made)
  return made
}

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
