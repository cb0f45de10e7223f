// What an engine says about tasks, applied in order per task and fenced by engine and attempt. What arrives together is
// applied together: a short task's whole life is then one statement instead of four.
import { type EngineToServer, fromBase64, type TaskFrame } from '@millrace/contract/engine-frames'
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import {
  createLogBook,
  type Fence,
  type LogBook,
  markAccepted,
  move,
  rejectTask,
  setProgress,
} from '../tasks/service.ts'

const statusOf: Partial<Record<EngineToServer['type'], number>> = {
  task_preparing: taskStatus.preparing,
  task_serving: taskStatus.serving,
  task_setting_up: taskStatus.setting_up,
  task_running: taskStatus.running,
  task_uploading: taskStatus.uploading,
  task_completed: taskStatus.completed,
  task_failed: taskStatus.failed,
  task_cancelled: taskStatus.cancelled,
}

type Stamped = { frame: TaskFrame; at: string }

export type FrameQueue = { push(frame: TaskFrame): void; idle(): Promise<void> }

export type FrameQueueParts = {
  engineId: string
  ctx: () => Ctx<Actor>
  answer: (frame: object) => void
  onError: (error: unknown, frame: TaskFrame) => void
}

export const createFrameQueue = (parts: FrameQueueParts): FrameQueue => {
  const waiting = new Map<string, Stamped[]>()
  const working = new Map<string, Promise<void>>()
  const logs = createLogBook()

  const work = async (taskId: string): Promise<void> => {
    for (let frames = waiting.get(taskId); frames; frames = waiting.get(taskId)) {
      waiting.delete(taskId)
      await applyFrames(parts, logs, frames).catch((error: unknown) => {
        const [first] = frames
        if (first) parts.onError(error, first.frame)
      })
    }
    working.delete(taskId)
  }

  const start = (taskId: string): void => {
    if (!working.has(taskId) && waiting.has(taskId)) working.set(taskId, work(taskId))
  }

  return {
    push: (frame) => {
      const taskId = frame.data.task_id
      const stamped = { frame, at: parts.ctx().now().toISOString() }
      const queue = waiting.get(taskId)
      if (queue) queue.push(stamped)
      else {
        waiting.set(taskId, [stamped])
        setImmediate(start, taskId)
      }
    },
    idle: async () => {
      for (const taskId of waiting.keys()) start(taskId)
      await Promise.all(working.values())
    },
  }
}

export const parseOutput = (base64: string): unknown => {
  try {
    return JSON.parse(fromBase64(base64))
  } catch {
    return null
  }
}

type Pending = { attempt: number; passed: { status: number; at: string }[] }

/** Applies a run of frames of one task; consecutive statuses of one attempt become one move. */
const applyFrames = async (
  { engineId, ctx: makeCtx, answer }: FrameQueueParts,
  logs: LogBook,
  frames: readonly Stamped[],
): Promise<void> => {
  const ctx = makeCtx()
  let pending: Pending | null = null
  const flush = async (id: string): Promise<void> => {
    const last = pending?.passed.at(-1)
    if (!pending || !last) return
    const { attempt, passed } = pending
    pending = null
    await move(ctx, id, { fence: { attempt, engineId }, to: last.status, via: passed.slice(0, -1) })
  }
  for (const [index, { frame, at }] of frames.entries()) {
    const { task_id: id, attempt } = frame.data
    const fence = { attempt, engineId }
    const status = statusOf[frame.type]
    if (pending && (pending as Pending).attempt !== attempt) await flush(id)
    if (status === undefined) {
      // A status that follows says as much as the acceptance.
      if (frame.type === 'task_accepted' && frames.slice(index + 1).some((later) => statusOf[later.frame.type]))
        continue
      await flush(id)
      await applyOther(ctx, logs, frame, fence)
    } else if (isTerminal(status)) {
      const via: Pending['passed'] = (pending as Pending | null)?.passed ?? []
      pending = null
      await applyEnd(ctx, frame, fence, status, via, answer)
      logs.forget(id)
    } else {
      const passed: Pending['passed'] = (pending as Pending | null)?.passed ?? []
      pending = { attempt, passed: [...passed, { status, at }] }
    }
  }
  const [first] = frames
  if (first) await flush(first.frame.data.task_id)
}

const applyOther = async (ctx: Ctx<Actor>, logs: LogBook, frame: TaskFrame, fence: Fence): Promise<void> => {
  const { task_id: id } = frame.data
  switch (frame.type) {
    case 'task_accepted':
      return markAccepted(ctx.db, id, fence, ctx.now().toISOString())
    case 'task_rejected':
      return rejectTask(ctx, id, fence, frame.data.reason)
    case 'task_log':
      return logs.append(ctx, id, fence, frame.data.log_type, fromBase64(frame.data.logs))
    case 'task_progress':
      return setProgress(ctx, id, fence, parseOutput(frame.data.output))
    case 'task_cancel_result':
      ctx.log.debug({ task: id, ok: frame.data.ok }, 'an engine answered a cancel')
      return
    default:
      return
  }
}

const applyEnd = async (
  ctx: Ctx<Actor>,
  frame: TaskFrame,
  fence: Fence,
  to: number,
  via: Pending['passed'],
  answer: FrameQueueParts['answer'],
): Promise<void> => {
  const { task_id: id, attempt } = frame.data
  const ended = await move(ctx, id, { fence, via, ...endOf(frame, to) }).catch((error: unknown) => {
    if (frame.type !== 'task_completed') throw error
    // An output that the database will not take must not keep the task, and the engine's repeats, alive for ever.
    ctx.log.warn({ err: error, task: id }, 'an output could not be stored')
    return move(ctx, id, { fence, via, to: taskStatus.failed, error: 'The output could not be stored' })
  })
  // A task the server no longer owns: the engine must drop it, and need not say it again.
  if (!ended && !(await hasEndedAs(ctx, id, fence, to)))
    answer({ type: 'task_force_cancel', data: { task: { id, attempt } } })
  answer({ type: 'task_ack', data: { task_id: id, attempt } })
}

const endOf = (frame: TaskFrame, to: number): { to: number; output?: unknown; error?: string } => {
  if (frame.type === 'task_failed') return { to, error: frame.data.error || 'The task failed' }
  if (frame.type !== 'task_completed') return { to }
  try {
    return { to, output: JSON.parse(fromBase64(frame.data.output)) as unknown }
  } catch {
    return { to: taskStatus.failed, error: 'The engine sent an output that is not JSON' }
  }
}

/** A repeated terminal frame of an end that was recorded is simply acknowledged again. */
const hasEndedAs = async (ctx: Ctx<Actor>, id: string, fence: Fence, to: number): Promise<boolean> => {
  const row = await ctx.db
    .selectFrom('tasks')
    .select(['status', 'attempt', 'engine_id'])
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()
  return row?.attempt === fence.attempt && row.engine_id === fence.engineId && row.status === to
}
