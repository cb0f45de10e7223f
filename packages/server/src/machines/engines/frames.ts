// What an engine says about tasks, applied in order per task and fenced by engine and attempt. Whatever it says about a
// task that is not its own is answered by telling it to drop that task.
import type { TaskFrame, TerminalFrame } from '@millrace/contract/engine-frames'
import { parseUntrustedJson, UntrustedInputError } from '@millrace/contract/parse-untrusted'
import { taskStatus } from '@millrace/contract/task-status'
import {
  createLogBook,
  type Fence,
  hasEndedAs,
  isOwnTask,
  type LogBook,
  markAccepted,
  move,
  publishDelta,
  rejectTask,
  setProgress,
} from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isPassing } from '#platform/db/away.ts'
import { finalOutput } from './final-output.ts'
import { type Passed, type Stamped, type Step, stepsOf } from './frame-steps.ts'

export type Telling = {
  engineId: string
  ctx: () => Ctx<Actor>
  answer: (frame: object) => void
}

export type ApplyFrames = (taskId: string, frames: readonly Stamped[]) => Promise<void>

export const createFrameWork = (telling: Telling): ApplyFrames => {
  const logs = createLogBook()
  const dropped = new Set<string>()
  const exhausting = new Map<string, number>()
  return async (taskId, frames) => {
    const ctx = telling.ctx()
    for (const step of stepsOf(frames)) {
      const fence = { attempt: step.attempt, engineId: telling.engineId }
      await applyStep({ ctx, logs, taskId, fence, dropped, exhausting, answer: telling.answer }, step)
    }
  }
}

type Work = {
  ctx: Ctx<Actor>
  logs: LogBook
  taskId: string
  fence: Fence
  /** Tasks that this connection was told to drop: an answer to that is not answered by saying it again. */
  dropped: Set<string>
  /** How often storing a task's output took more than a statement may. */
  exhausting: Map<string, number>
  answer: Telling['answer']
}

const maxDropped = 1_000

const applyStep = async (work: Work, step: Step): Promise<void> => {
  if (step.kind === 'ended') {
    await applyEnd(work, step.frame, step.via)
    work.logs.forget(work.taskId)
    work.exhausting.delete(work.taskId)
    return
  }
  const applied = step.kind === 'passed' ? await applyStatuses(work, step.statuses) : await applyTold(work, step.frame)
  if (!applied && !(await isOwnTask(work.ctx, work.taskId, work.fence))) drop(work)
}

/** The attempt is told as the engine told it. */
const named = (fence: Fence) => (fence.attempt === null ? {} : { attempt: fence.attempt })

const drop = ({ taskId, fence, dropped, answer }: Work): void => {
  if (dropped.size >= maxDropped) dropped.clear()
  dropped.add(taskId)
  answer({ type: 'task_force_cancel', data: { task: { id: taskId, ...named(fence) } } })
}

const applyStatuses = async ({ ctx, taskId, fence }: Work, statuses: readonly Passed[]): Promise<boolean> => {
  const last = statuses.at(-1)
  if (!last) return true
  return (await move(ctx, taskId, { fence, to: last.status, via: statuses.slice(0, -1) })) !== undefined
}

const applyTold = async ({ ctx, logs, taskId, fence, dropped }: Work, frame: TaskFrame): Promise<boolean> => {
  switch (frame.type) {
    case 'task_accepted':
      return markAccepted(ctx, taskId, fence)
    case 'task_rejected':
      return rejectTask(ctx, taskId, fence, frame.data.reason)
    case 'task_log':
      return logs.append(ctx, taskId, fence, frame.data.log_type, textOf(frame.data.logs))
    case 'task_progress':
      return frame.data.is_delta === true
        ? tellDelta(ctx, taskId, fence, frame.data)
        : setProgress(ctx, taskId, fence, readOutput(frame.data.output))
    case 'task_cancel_result':
      ctx.log.debug({ task: taskId, ok: frame.data.ok }, 'an engine answered a cancel')
      return dropped.has(taskId)
    default:
      return false
  }
}

/** Only deltas that their connection does not know come here: those of a task that another connection was given. */
const tellDelta = async (
  ctx: Ctx<Actor>,
  taskId: string,
  fence: Fence,
  { output, seq }: { output: string; seq?: number },
): Promise<boolean> => {
  const own = await isOwnTask(ctx, taskId, fence)
  if (own) publishDelta(ctx, taskId, seq ?? 1, readOutput(output))
  return own
}

const applyEnd = async (work: Work, frame: TerminalFrame, via: readonly Passed[]): Promise<void> => {
  const { ctx, taskId, fence } = work
  const end = endOf(frame)
  const ended = await keepEnd(work, end, via).catch((error: unknown) => {
    // The engine repeats it until it is acknowledged: what fails for a moment is no reason to fail what was done.
    if (frame.type !== 'task_completed' || isWorthRepeating(work, error)) throw error
    // An output that the database will not take must not keep the task, and the engine's repeats, alive for ever.
    ctx.log.warn({ err: error, task: taskId }, 'an output could not be stored')
    return move(ctx, taskId, { fence, via, to: taskStatus.failed, error: 'The output could not be stored' })
  })
  // A repeated end that was recorded is simply acknowledged again; whatever else it was, the engine need not say it again.
  if (!ended && !(await hasEndedAs(ctx, taskId, fence, end.to))) drop(work)
  work.answer({ type: 'task_ack', data: { task_id: taskId, ...named(fence) } })
}

/** Time or memory that a statement ran out of may be the moment's fault, or that of what it stores. */
const exhaustion = /^(57014|53200)$/
const maxExhausting = 5

const isWorthRepeating = ({ taskId, exhausting }: Work, error: unknown): boolean => {
  if (!exhaustion.test((error as { code?: string }).code ?? '')) return isPassing(error)
  const times = (exhausting.get(taskId) ?? 0) + 1
  exhausting.set(taskId, times)
  return times < maxExhausting
}

type End = { to: number; output?: unknown; error?: string }

const keepEnd = async ({ ctx, taskId, fence }: Work, end: End, via: readonly Passed[]) => {
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

/** Null when it is not JSON, or too much of it: what a task says on its way is worth less than its end. */
export const readOutput = (base64: string): { value: unknown; sizeBytes: number } => {
  const bytes = Buffer.from(base64, 'base64')
  try {
    return { value: parseUntrustedJson(bytes), sizeBytes: base64.length }
  } catch {
    return { value: null, sizeBytes: 0 }
  }
}
