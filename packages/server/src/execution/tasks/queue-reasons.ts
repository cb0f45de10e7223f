// The event stream of a task, with an update of `queue_reason` whenever the reason why it waits changes. The reason
// depends on engines and other runs, so it is read periodically, and only for readers of a queued task.
import { setTimeout as sleep } from 'node:timers/promises'
import { taskStatus } from '@millrace/contract/task-status'
import type { QueueReason } from '@millrace/contract/tasks'
import type { ResourceEvent } from '#platform/bus/resource-stream.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { queueReasonOfTask } from './extension-points.ts'
import type { TaskRow } from './row.ts'

/** Null for a task that is not queued, or that starts soon. */
export const queueReason = async (ctx: Ctx<Actor>, task: TaskRow): Promise<QueueReason | null> => {
  if (task.status !== taskStatus.queued) return null
  const [listener] = ctx.extensions.listenersOf(queueReasonOfTask)
  return listener ? listener(ctx, task) : null
}

export type QueueReasonTimes = { firstMs: number; maxMs: number }

/** The interval doubles, so that long queues cost little. */
const defaultTimes: QueueReasonTimes = { firstMs: 1_000, maxMs: 15_000 }

type Options = {
  readonly taskId: string
  readonly read: () => Promise<QueueReason | null>
  readonly signal: AbortSignal
  readonly times?: QueueReasonTimes
}

export async function* withQueueReasons(
  open: (signal: AbortSignal) => AsyncGenerator<ResourceEvent>,
  { taskId, read, signal, times = defaultTimes }: Options,
): AsyncGenerator<ResourceEvent> {
  const closing = new AbortController()
  const events = open(AbortSignal.any([signal, closing.signal]))
  let next: Promise<IteratorResult<ResourceEvent>> = events.next()
  let isQueued = false
  let lastId = 0
  let shown = ''
  let waitMs = times.firstMs
  try {
    while (true) {
      const step: IteratorResult<ResourceEvent> | 'due' = isQueued ? await firstOf(next, waitMs) : await next
      if (step === 'due') {
        waitMs = Math.min(waitMs * 2, times.maxMs)
        const reason = await read()
        const text = JSON.stringify(reason)
        if (text === shown || (reason === null && shown === '')) continue
        shown = text
        yield { type: 'update', id: lastId, data: { id: taskId, queue_reason: reason }, fields: ['queue_reason'] }
        continue
      }
      if (step.done) return
      const event: ResourceEvent = step.value
      const lastNumber = lastId
      if (event.type === 'update') lastId = event.id
      const status: unknown = event.type === 'update' && 'status' in event.data ? event.data.status : undefined
      if (status !== undefined) isQueued = status === taskStatus.queued
      // A reader that merges updates would otherwise keep the reason of a run that has left the queue.
      if (!isQueued && shown !== '' && shown !== 'null') {
        shown = ''
        yield { type: 'update', id: lastNumber, data: { id: taskId, queue_reason: null }, fields: ['queue_reason'] }
      }
      if (!isQueued) waitMs = times.firstMs
      next = events.next()
      yield event
    }
  } finally {
    // The pending read ends with the signal; its result is not needed.
    next.catch(() => {})
    closing.abort()
  }
}

const firstOf = async <T>(next: Promise<T>, waitMs: number): Promise<T | 'due'> => {
  const over = new AbortController()
  const due = sleep(waitMs, 'due' as const, { signal: over.signal, ref: false }).catch(() => 'due' as const)
  try {
    return await Promise.race([next, due])
  } finally {
    over.abort()
  }
}
