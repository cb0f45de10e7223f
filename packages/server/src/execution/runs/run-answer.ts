// The answers to a run request: the accepted task, the finished task, or a stream.
import { taskStatus } from '@millrace/contract/task-status'
import type { RunRequest, TaskResult } from '@millrace/contract/tasks'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { callerEnd } from '../sockets/service.ts'
import { asAccepted, type TaskRow, taskResultDto, taskStream, waitForEnd, wasReported } from '../tasks/service.ts'

/**
 * The rows of the current answers, retained until the next turn of the event loop. Changes of a task arrive by
 * sockets, so none can arrive before that turn, and a stream that starts now can use this row as its snapshot. Only
 * this server sends an assigned task. A dispatcher can assign a queued task before this process has the result of its
 * insert. If the dispatcher is on this server, it has already published the change.
 */
const justWritten = new WeakMap<TaskResult, TaskRow>()

export const answerRun = async (ctx: Ctx<Member>, row: TaskRow): Promise<TaskResult> => {
  const answer = asAccepted(taskResultDto(row))
  if (row.is_stream) return { ...answer, socket: await callerEnd(ctx, row.id) }
  if (isCurrent(ctx, row)) {
    justWritten.set(answer, row)
    setImmediate(() => justWritten.delete(answer))
  }
  return answer
}

const isCurrent = (ctx: Ctx<Member>, { id, status }: TaskRow): boolean =>
  status === taskStatus.dispatched ||
  (status === taskStatus.queued && ctx.settings.DATABASE_URL === undefined && !wasReported(ctx, id))

export const followRun = async (
  ctx: Ctx<Member>,
  accepted: TaskResult,
  request: RunRequest,
): Promise<TaskResult | EventStream> => {
  if (request.stream === true)
    return taskStream(ctx, { ...accepted, event_seq: 0 }, null, () => {
      const row = justWritten.get(accepted)
      return row && isCurrent(ctx, row) ? row : undefined
    })
  if (request.wait !== true) return accepted
  const { row, timedOut } = await waitForEnd(ctx, accepted.id)
  if (timedOut)
    ctx.notice({
      level: 'warning',
      code: 'wait_timeout',
      message: 'The task is still running; use its id to get the result',
    })
  return taskResultDto(row)
}
