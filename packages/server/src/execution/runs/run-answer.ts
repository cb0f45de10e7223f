// The answers to a run request: the accepted task, the finished task, or a stream.
import { taskStatus } from '@millrace/contract/task-status'
import type { RunRequest, TaskResult } from '@millrace/contract/tasks'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { callerEnd } from '../sockets/service.ts'
import { asAccepted, type TaskRow, taskResultDto, taskStream, waitForEnd } from '../tasks/service.ts'

/**
 * The rows behind answers until the next turn of the event loop. Changes of a task arrive by sockets, so there are none
 * before that turn, and a stream that starts now may use this row as its snapshot. Only for assigned tasks: this
 * process knows them before they are sent. A queued task may be found and run by the dispatcher of another server
 * before this process has the result of its insert.
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
    ctx.notice({
      level: 'warning',
      code: 'wait_timeout',
      message: 'The task is still running; use its id to get the result',
    })
  return taskResultDto(row)
}
