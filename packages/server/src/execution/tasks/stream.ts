// The stream of a task: the snapshot, then numbered changes and deltas until the task ends.
import { isTerminal } from '@millrace/contract/task-status'
import { type ResourceUpdate, resourceStream, type Snapshot } from '#platform/bus/resource-stream.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { followerOf } from '#platform/tenancy/private-access.ts'
import { shownTo, streamedTaskDto } from './dto.ts'
import { queueReason, withQueueReasons } from './queue-reasons.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'
import { taskSubject } from './subjects.ts'

const snapshotOf = (actor: Actor, row: TaskRow, logs: readonly store.LogRow[]): Snapshot => ({
  seq: row.event_seq,
  data: shownTo(actor, streamedTaskDto(row, logs)),
  terminal: isTerminal(row.status),
})

/**
 * `lastSeen` is the number after which the caller resumes. `written` passes the row of a task that was just created.
 */
export const taskStream = (
  ctx: Ctx<Actor>,
  task: Pick<TaskRow, 'id' | 'status' | 'event_seq'>,
  lastSeen: number | null,
  written: () => TaskRow | undefined = () => undefined,
): EventStream => {
  const stillReads = followerOf(ctx, 'task')
  const load = async () => {
    const [row] = await store.findTaskWithLogs(ctx.db, task.id)
    if (!row) throw fail('not_found', 'Task not found')
    const { logs, team_org_id, ...current } = row
    await stillReads({ ...current, team_org_id })
    return snapshotOf(ctx.actor, current, logs)
  }
  const source = {
    subject: taskSubject(task.id),
    load,
    known: () => {
      const row = written()
      return row && snapshotOf(ctx.actor, row, [])
    },
    isTerminal: (data: object) => 'status' in data && isTerminal(Number(data.status)),
  }
  return {
    single: true,
    finished: isTerminal(task.status) && lastSeen !== null && lastSeen >= task.event_seq,
    open: (signal) =>
      withQueueReasons((inner) => resourceStream(ctx.bus, source, inner), {
        taskId: task.id,
        signal,
        read: async () => {
          const row = await store.findTask(ctx.db, task.id)
          return row ? queueReason(ctx, row) : null
        },
      }),
  }
}

const waitLimitMs = 600_000

/** Resolves when the task has ended, when the time limit is reached or when the caller has disconnected. */
export const waitForEnd = async (ctx: Ctx<Actor>, id: string): Promise<{ row: TaskRow; timedOut: boolean }> => {
  const over = new AbortController()
  const stop = () => over.abort()
  const timer = setTimeout(stop, waitLimitMs)
  ctx.signal.addEventListener('abort', stop)
  // Subscribes before the row is read, so that an end between the two is not missed.
  const onEvent = (event: ResourceUpdate): void => {
    // A change without data requires a read of the row.
    if (!('seq' in event)) return
    if (event.data === undefined) readAgain()
    else if ('status' in event.data && isTerminal(Number(event.data.status))) over.abort()
  }
  const readAgain = (): void => {
    read().then(
      (row) => isTerminal(row.status) && over.abort(),
      () => over.abort(),
    )
  }
  const unsubscribe = ctx.bus.subscribe(taskSubject(id), onEvent, { onQuiet: readAgain })
  const ended = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()))
  const read = async (): Promise<TaskRow> => {
    const row = await store.findTask(ctx.db, id)
    if (!row) throw fail('not_found', 'Task not found')
    return row
  }
  try {
    await ctx.bus.settled()
    const first = await read()
    if (isTerminal(first.status)) return { row: first, timedOut: false }
    await ended
    const row = await read()
    return { row, timedOut: !isTerminal(row.status) }
  } finally {
    unsubscribe()
    ctx.signal.removeEventListener('abort', stop)
    clearTimeout(timer)
  }
}
