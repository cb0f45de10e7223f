// What an engine says about tasks, applied in order per task and fenced by attempt. Frames of one task that arrive
// while an earlier one is being written are applied together: one statement instead of three.
import { type EngineToServer, fromBase64, type TaskFrame } from '@millrace/contract/engine-frames'
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { appendTaskLog, move, publishDelta, rejectTask, setProgress } from '../tasks/service.ts'

type Answer = (frame: object) => void

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

export type FrameQueue = { push(frame: TaskFrame): void; idle(): Promise<void> }

export const createFrameQueue = (
  ctx: () => Ctx<Actor>,
  answer: Answer,
  onError: (error: unknown, frame: TaskFrame) => void,
): FrameQueue => {
  const waiting = new Map<string, TaskFrame[]>()
  const working = new Map<string, Promise<void>>()

  const work = async (taskId: string): Promise<void> => {
    for (let frames = waiting.get(taskId); frames && frames.length > 0; frames = waiting.get(taskId)) {
      waiting.set(taskId, [])
      await applyFrames(ctx(), frames, answer).catch((error: unknown) => {
        const [first] = frames
        if (first) onError(error, first)
      })
    }
    waiting.delete(taskId)
    working.delete(taskId)
  }

  return {
    push: (frame) => {
      const taskId = frame.data.task_id
      // A delta changes no row: it goes out at once, in its own order.
      if (frame.type === 'task_progress' && frame.data.is_delta) {
        publishDelta(ctx(), taskId, frame.data.seq ?? 1, parse(frame.data.output))
        return
      }
      const queue = waiting.get(taskId)
      if (queue) queue.push(frame)
      else waiting.set(taskId, [frame])
      if (!working.has(taskId)) working.set(taskId, work(taskId))
    },
    idle: async () => {
      await Promise.all(working.values())
    },
  }
}

const parse = (base64: string): unknown => {
  try {
    return JSON.parse(fromBase64(base64))
  } catch {
    return null
  }
}

/** Applies a run of frames of one task; consecutive status frames become one move. */
const applyFrames = async (ctx: Ctx<Actor>, frames: readonly TaskFrame[], answer: Answer): Promise<void> => {
  let pending: { via: number[]; to: number; attempt: number } | null = null
  const flush = async (): Promise<void> => {
    if (!pending) return
    const { via, to, attempt } = pending
    pending = null
    await move(ctx, frames[0]?.data.task_id ?? '', { attempt, to, via })
  }
  for (const frame of frames) {
    const to = statusOf[frame.type]
    if (to === undefined) {
      // Written in the order it was said.
      if (frame.type !== 'task_accepted') await flush()
      await applyOther(ctx, frame)
    } else if (isTerminal(to)) {
      const passed: number[] = pending ? [...(pending as { via: number[] }).via, (pending as { to: number }).to] : []
      pending = null
      await applyEnd(ctx, frame, to, passed, answer)
    } else if (pending && pending.attempt === frame.data.attempt) {
      pending = { via: [...pending.via, pending.to], to, attempt: pending.attempt }
    } else {
      await flush()
      pending = { via: [], to, attempt: frame.data.attempt }
    }
  }
  await flush()
}

const applyOther = async (ctx: Ctx<Actor>, frame: TaskFrame): Promise<void> => {
  const { task_id: id, attempt } = frame.data
  switch (frame.type) {
    case 'task_accepted':
      await ctx.db
        .updateTable('workers')
        .set({ status: 'busy' })
        .where('task_id', '=', id)
        .where('status', '=', 'reserved')
        .execute()
      await ctx.db
        .updateTable('tasks')
        .set({ accepted_at: ctx.now().toISOString() })
        .where('id', '=', id)
        .where('attempt', '=', attempt)
        .execute()
      return
    case 'task_rejected':
      return rejectTask(ctx, id, attempt, frame.data.reason)
    case 'task_log':
      return appendTaskLog(ctx, id, attempt, frame.data.log_type, fromBase64(frame.data.logs))
    case 'task_progress':
      return setProgress(ctx, id, attempt, parse(frame.data.output))
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
  to: number,
  via: readonly number[],
  answer: Answer,
): Promise<void> => {
  const { task_id: id, attempt } = frame.data
  const ended = await move(ctx, id, endOf(frame, to, via, attempt))
  // A task the server no longer owns: the engine must drop it, and need not say it again.
  if (!ended && !(await hasEndedAs(ctx, id, attempt, to)))
    answer({ type: 'task_force_cancel', data: { task: { id, attempt } } })
  answer({ type: 'task_ack', data: { task_id: id, attempt } })
}

const endOf = (frame: TaskFrame, to: number, via: readonly number[], attempt: number) => {
  if (frame.type === 'task_completed') {
    const text = fromBase64(frame.data.output)
    try {
      return { attempt, to, via, output: JSON.parse(text) as unknown }
    } catch {
      return { attempt, to: taskStatus.failed, via, error: 'The engine sent an output that is not JSON' }
    }
  }
  if (frame.type === 'task_failed') return { attempt, to, via, error: frame.data.error || 'The task failed' }
  return { attempt, to, via }
}

/** A repeated terminal frame of an end that was recorded is simply acknowledged again. */
const hasEndedAs = async (ctx: Ctx<Actor>, id: string, attempt: number, to: number): Promise<boolean> => {
  const row = await ctx.db.selectFrom('tasks').select(['status', 'attempt']).where('id', '=', id).executeTakeFirst()
  return row?.attempt === attempt && row.status === to
}
