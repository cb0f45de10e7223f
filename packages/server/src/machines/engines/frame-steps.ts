// Reduces consecutive frames of a task to steps: statuses of one attempt become one move, an acceptance followed by a
// status is redundant, and only the last full output counts. Pure.
import type { EngineToServer, TaskFrame, TerminalFrame } from '@millrace/contract/engine-frames'
import { taskStatus } from '@millrace/contract/task-status'

export type PassedStatus = { status: number; at: string }
export type StampedFrame = { frame: TaskFrame; at: string }

export type FrameStep =
  /** The statuses that the task passed; the last one is current. */
  | { kind: 'passed'; attempt: number | null; statuses: readonly PassedStatus[] }
  | { kind: 'ended'; attempt: number | null; frame: TerminalFrame; via: readonly PassedStatus[] }
  | { kind: 'reported'; attempt: number | null; frame: TaskFrame }

const passing: Partial<Record<EngineToServer['type'], number>> = {
  task_preparing: taskStatus.preparing,
  task_serving: taskStatus.serving,
  task_setting_up: taskStatus.setting_up,
  task_running: taskStatus.running,
  task_uploading: taskStatus.uploading,
}

const isEnd = (frame: TaskFrame): frame is TerminalFrame =>
  frame.type === 'task_completed' || frame.type === 'task_failed' || frame.type === 'task_cancelled'

const attemptOf = ({ data }: TaskFrame): number | null => data.attempt ?? null

const isFullOutput = (frame: TaskFrame): boolean => frame.type === 'task_progress' && frame.data.is_delta !== true

const isSuperseded = (frame: TaskFrame, later: readonly StampedFrame[]): boolean =>
  later.some(({ frame: next }) => {
    if (attemptOf(next) !== attemptOf(frame)) return false
    if (frame.type === 'task_accepted') return isEnd(next) || passing[next.type] !== undefined
    return isFullOutput(frame) && (isFullOutput(next) || next.type === 'task_completed')
  })

type Pending = { attempt: number | null; statuses: readonly PassedStatus[] }

export const stepsOf = (frames: readonly StampedFrame[]): FrameStep[] => {
  const steps: FrameStep[] = []
  let pending: Pending | undefined
  for (const [index, { frame, at }] of frames.entries()) {
    const attempt = attemptOf(frame)
    const status = passing[frame.type]
    const open = pending as Pending | undefined
    const before = open?.attempt === attempt ? open.statuses : []
    if (status === undefined && !isEnd(frame) && isSuperseded(frame, frames.slice(index + 1))) continue
    // Pending statuses are combined only with further statuses or the end of the same attempt.
    if (open && (open.attempt !== attempt || (status === undefined && !isEnd(frame)))) steps.push(passed(open))
    pending = status === undefined ? undefined : { attempt, statuses: [...before, { status, at }] }
    if (isEnd(frame)) steps.push({ kind: 'ended', attempt, frame, via: before })
    else if (status === undefined) steps.push({ kind: 'reported', attempt, frame })
  }
  return pending ? [...steps, passed(pending)] : steps
}

const passed = (pending: Pending): FrameStep => ({ kind: 'passed', ...pending })
