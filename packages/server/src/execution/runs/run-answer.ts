// How a run is answered: the accepted task at once, or after waiting for its end, or as a stream.
import { taskStatus } from '@millrace/contract/task-status'
import type { RunRequest, TaskResult } from '@millrace/contract/tasks'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { callerEnd } from '../sockets/service.ts'
import { asAccepted, type TaskRow, taskResultDto, taskStream, waitForEnd } from '../tasks/service.ts'

/**
 * Rows behind answers, until the event loop turns: news of a task comes from sockets, so until then there is none, and a
 * stream that begins now begins with this row. Only of tasks that have a worker: those are sent no sooner than this
 * process knows them. A queued one may be found and run by the dispatcher while the database still says that it is there.
 */
const justWritten = new WeakMap<TaskResult, TaskRow>()

export const answerRun = async (ctx: Ctx<Member>, row: TaskRow): Promise<TaskResult> => {
  const answer = asAccepted(taskResultDto(row))
  if (row.is_stream) return { ...answer, socket: await callerEnd(ctx, row.id) }
  if (row.status === taskStatus.dispatched) {
    justWritten.set(answer, row)
    setImmediate(() => justWritten.delete(answer))
  }
  return answer
}

export const followRun = async (
  ctx: Ctx<Member>,
  accepted: TaskResult,
  request: RunRequest,
): Promise<TaskResult | EventStream> => {
  if (request.stream === true)
    return taskStream(ctx, { ...accepted, event_seq: 0 }, null, () => justWritten.get(accepted))
  if (request.wait !== true) return accepted
  const { row, timedOut } = await waitForEnd(ctx, accepted.id)
  if (timedOut)
    ctx.notice({ level: 'warning', code: 'wait_timeout', message: 'The task is still running; follow it by its id' })
  return taskResultDto(row)
}
