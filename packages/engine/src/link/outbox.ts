// Frames that must survive a lost connection. Terminal frames are retained until the server acknowledges them. Of a
// running task, the latest status, the latest output and the logs are retained in order. Deltas are not, because the
// final output replaces them.

import type { TaskFrame, TerminalFrame } from '@millrace/contract/engine-frames'

const statusTypes = new Set<TaskFrame['type']>([
  'task_accepted',
  'task_preparing',
  'task_serving',
  'task_setting_up',
  'task_running',
  'task_uploading',
])

export const isTerminal = (frame: TaskFrame): frame is TerminalFrame =>
  frame.type === 'task_completed' || frame.type === 'task_failed' || frame.type === 'task_cancelled'

// The status of a task; a later status frame replaces an earlier one.
export const isStatus = (frame: TaskFrame): boolean => statusTypes.has(frame.type)

export type Unacknowledged = { frame: TerminalFrame; sentAtMs: number }

export type Outbox = {
  // Retains a frame that cannot be sent now.
  retain: (frame: TaskFrame) => void
  takeHeld: () => TaskFrame[]
  expectAck: (frame: TerminalFrame, nowMs: number) => void
  acknowledge: (taskId: string, attempt: number | undefined) => void
  unacknowledged: () => Unacknowledged[]
  terminalOf: (taskId: string) => TerminalFrame | undefined
}

export const createOutbox = (): Outbox => {
  let retained: TaskFrame[] = []
  const waiting = new Map<string, Unacknowledged>()

  return {
    retain: (frame) => {
      if (isTerminal(frame)) return
      if (frame.type === 'task_progress' && frame.data.is_delta) return
      retained = retained.filter((earlier) => !supersedes(frame, earlier))
      retained.push(frame)
    },
    takeHeld: () => {
      const taken = retained
      retained = []
      return taken
    },
    expectAck: (frame, nowMs) => void waiting.set(frame.data.task_id, { frame, sentAtMs: nowMs }),
    acknowledge: (taskId, attempt) => {
      const known = waiting.get(taskId)
      if (known && (attempt === undefined || known.frame.data.attempt === attempt)) waiting.delete(taskId)
    },
    unacknowledged: () => [...waiting.values()],
    terminalOf: (taskId) => waiting.get(taskId)?.frame,
  }
}

const supersedes = (later: TaskFrame, earlier: TaskFrame): boolean => {
  if (later.data.task_id !== earlier.data.task_id) return false
  if (isStatus(later)) return isStatus(earlier)
  return later.type === 'task_progress' && earlier.type === 'task_progress'
}
