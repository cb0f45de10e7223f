// Applies the frames of an engine about its tasks, in order per task, fenced by engine and attempt. A frame about a
// task of another engine is answered by an order to drop that task.
import type { TaskFrame, TerminalFrame } from '@millrace/contract/engine-frames'
import { parseUntrustedJson, UntrustedInputError } from '@millrace/contract/parse-untrusted'
import { taskStatus } from '@millrace/contract/task-status'
import {
  createLogWriter,
  type Fence,
  hasEndedAs,
  isOwnTask,
  type LogWriter,
  markAccepted,
  move,
  publishDelta,
  rejectTask,
  setProgress,
} from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isPassing } from '#platform/db/unavailable.ts'
import { finalOutput } from './final-output.ts'
import { type FrameStep, type PassedStatus, type StampedFrame, stepsOf } from './frame-steps.ts'

export type FrameContext = {
  engineId: string
  ctx: () => Ctx<Actor>
  answer: (frame: object) => void
}

export type ApplyFrames = (taskId: string, frames: readonly StampedFrame[]) => Promise<void>

export const createFrameWork = (context: FrameContext): ApplyFrames => {
  const logs = createLogWriter()
  const dropped = new Set<string>()
  const failedStores = new Map<string, number>()
  return async (taskId, frames) => {
    const ctx = context.ctx()
    for (const step of stepsOf(frames)) {
      const fence = { attempt: step.attempt, engineId: context.engineId }
      await applyStep({ ctx, logs, taskId, fence, dropped, failedStores, answer: context.answer }, step)
    }
  }
}

type Work = {
  ctx: Ctx<Actor>
  logs: LogWriter
  taskId: string
  fence: Fence
  /** Tasks that this connection was ordered to drop: the answer to that order causes no second order. */
  dropped: Set<string>
  /** How often storing the output of a task exceeded the limits of a statement. */
  failedStores: Map<string, number>
  answer: FrameContext['answer']
}

const maxDropped = 1_000

const applyStep = async (work: Work, step: FrameStep): Promise<void> => {
  if (step.kind === 'ended') {
    await applyEnd(work, step.frame, step.via)
    work.logs.forget(work.taskId)
    work.failedStores.delete(work.taskId)
    return
  }
  const applied =
    step.kind === 'passed' ? await applyStatuses(work, step.statuses) : await applyReport(work, step.frame)
  if (!applied && !(await isOwnTask(work.ctx, work.taskId, work.fence))) drop(work)
}

/** Returns the attempt only if the engine named it. */
const named = (fence: Fence) => (fence.attempt === null ? {} : { attempt: fence.attempt })

const drop = ({ taskId, fence, dropped, answer }: Work): void => {
  if (dropped.size >= maxDropped) dropped.clear()
  dropped.add(taskId)
  answer({ type: 'task_force_cancel', data: { task: { id: taskId, ...named(fence) } } })
}

const applyStatuses = async ({ ctx, taskId, fence }: Work, statuses: readonly PassedStatus[]): Promise<boolean> => {
  const last = statuses.at(-1)
  if (!last) return true
  return (await move(ctx, taskId, { fence, to: last.status, via: statuses.slice(0, -1) })) !== undefined
}

const applyReport = async ({ ctx, logs, taskId, fence, dropped }: Work, frame: TaskFrame): Promise<boolean> => {
  switch (frame.type) {
    case 'task_accepted':
      return markAccepted(ctx, taskId, fence)
    case 'task_rejected':
      return rejectTask(ctx, taskId, fence, frame.data.reason)
    case 'task_log':
      return logs.append(ctx, taskId, fence, frame.data.log_type, textOf(frame.data.logs))
    case 'task_progress':
      return frame.data.is_delta === true
        ? publishOwnDelta(ctx, taskId, fence, frame.data)
        : setProgress(ctx, taskId, fence, readOutput(frame.data.output))
    case 'task_cancel_result':
      ctx.log.debug({ task: taskId, ok: frame.data.ok }, 'an engine answered a cancellation')
      return dropped.has(taskId)
    default:
      return false
  }
}

/** Only for deltas of tasks that were sent over another connection; socket.ts publishes the others directly. */
const publishOwnDelta = async (
  ctx: Ctx<Actor>,
  taskId: string,
  fence: Fence,
  { output, seq }: { output: string; seq?: number },
): Promise<boolean> => {
  const own = await isOwnTask(ctx, taskId, fence)
  if (own) publishDelta(ctx, taskId, seq ?? 1, readOutput(output))
  return own
}

const applyEnd = async (work: Work, frame: TerminalFrame, via: readonly PassedStatus[]): Promise<void> => {
  const { ctx, taskId, fence } = work
  const end = { ...endOf(frame), gpuMemoryPeak: frame.data.gpu_memory_peak }
  const ended = await recordEnd(work, end, via).catch((error: unknown) => {
    // The engine repeats the frame until it is acknowledged, so a temporary error must not fail a completed task.
    if (frame.type !== 'task_completed' || isRetryable(work, error)) throw error
    // An output that the database always rejects must not keep the task (and the engine's retries) alive forever.
    ctx.log.warn({ err: error, task: taskId }, 'could not store an output')
    return move(ctx, taskId, { fence, via, to: taskStatus.failed, error: 'The output could not be stored' })
  })
  // A repeated end that is already recorded is only acknowledged again. In all cases the engine can stop repeating it.
  if (!ended && !(await hasEndedAs(ctx, taskId, fence, end.to))) drop(work)
  work.answer({ type: 'task_ack', data: { task_id: taskId, ...named(fence) } })
}

/** A timeout or lack of memory of a statement may be temporary or caused by the stored value. */
const exhaustedCodes = /^(57014|53200)$/
const maxFailedStores = 5

const isRetryable = ({ taskId, failedStores }: Work, error: unknown): boolean => {
  if (!exhaustedCodes.test((error as { code?: string }).code ?? '')) return isPassing(error)
  const times = (failedStores.get(taskId) ?? 0) + 1
  failedStores.set(taskId, times)
  return times < maxFailedStores
}

type End = { to: number; output?: unknown; error?: string; gpuMemoryPeak?: number }

const recordEnd = async ({ ctx, taskId, fence }: Work, end: End, via: readonly PassedStatus[]) => {
  const output = end.to === taskStatus.completed ? { output: await finalOutput(ctx, taskId, end.output) } : {}
  return move(ctx, taskId, { fence, via, ...end, ...output })
}

const endOf = (frame: TerminalFrame): End => {
  if (frame.type === 'task_cancelled') return { to: taskStatus.cancelled }
  if (frame.type === 'task_failed') return { to: taskStatus.failed, error: frame.data.error || 'The task failed' }
  const bytes = Buffer.from(frame.data.output, 'base64')
  try {
    return { to: taskStatus.completed, output: parseUntrustedJson(bytes) }
  } catch (error) {
    const problem = error instanceof UntrustedInputError ? error.problem : 'cannot be read'
    return { to: taskStatus.failed, error: `The output ${problem}` }
  }
}

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString()

/** Null when the output is not JSON or too large: partial output is not worth failing the task. */
export const readOutput = (base64: string): { value: unknown; sizeBytes: number } => {
  const bytes = Buffer.from(base64, 'base64')
  try {
    return { value: parseUntrustedJson(bytes), sizeBytes: base64.length }
  } catch {
    return { value: null, sizeBytes: 0 }
  }
}
