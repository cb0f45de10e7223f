// Sends the frames of one connection to its engine in a valid order: a cancellation never overtakes the run that it
// cancels, although the frame of the run takes longer to build. Tracks the attempts of this connection and the orders
// that it has already sent.
import type { ServerToEngine } from '@millrace/contract/engine-frames'

export type Outgoing = {
  send(frame: ServerToEngine): void
  /** Sends an order unless this connection has already sent it. */
  sendOnce(frame: ServerToEngine): void
  /**
   * The engine has left the state that it was ordered to enter (drain, restart or stop), so the next such order must be
   * sent again.
   */
  forgetState(): void
  /** The engine has this attempt from an earlier connection. */
  adopt(taskId: string, attempt: number): void
  /** The last attempt that the engine received for a task, as far as this connection knows. */
  attemptOf(taskId: string): number | undefined
  /** All tasks that the engine received and has not ended, with their attempts. */
  current(): Map<string, number>
  forget(taskId: string): void
}

/** Limits the memory of a connection, which may last for weeks. */
const maxSentOrders = 2_000

const stateFrames = ['engine_drain', 'engine_update', 'engine_stop'] as const

const attemptKey = ({ id, attempt }: { id: string; attempt?: number }): string => `${id}/${attempt}`

/** Identifies orders that must not be repeated; null for all other frames. */
const orderKey = (frame: ServerToEngine): string | null => {
  switch (frame.type) {
    case 'task_cancel':
    case 'task_force_cancel':
      return `${frame.type}/${attemptKey(frame.data.task)}`
    case 'session_end':
      return `${frame.type}/${frame.data.session_id}`
    case 'engine_drain':
    case 'engine_update':
    case 'engine_stop':
      return frame.type
    default:
      return null
  }
}

export const createOutgoing = (write: (frame: ServerToEngine) => void): Outgoing => {
  const current = new Map<string, number>()
  const early = new Map<string, ServerToEngine[]>()
  const sentOrders = new Set<string>()

  const recordOrder = (frame: ServerToEngine): void => {
    const key = orderKey(frame)
    if (key === null) return
    const [oldest] = sentOrders
    if (sentOrders.size >= maxSentOrders && oldest !== undefined) sentOrders.delete(oldest)
    sentOrders.add(key)
  }

  const send = (frame: ServerToEngine): void => {
    recordOrder(frame)
    if (frame.type === 'task_run') {
      const { id, attempt = 0 } = frame.data.task
      current.set(id, attempt)
      write(frame)
      for (const frame of early.get(`${id}/${attempt}`) ?? []) write(frame)
      early.delete(`${id}/${attempt}`)
    } else if (frame.type === 'task_cancel' || frame.type === 'task_force_cancel') {
      const { task } = frame.data
      const key = attemptKey(task)
      if (task.attempt === undefined || current.get(task.id) === task.attempt) write(frame)
      else early.set(key, [...(early.get(key) ?? []), frame])
    } else write(frame)
  }

  return {
    send,
    sendOnce: (frame) => {
      const key = orderKey(frame)
      if (key === null || !sentOrders.has(key)) send(frame)
    },
    forgetState: () => {
      for (const type of stateFrames) sentOrders.delete(type)
    },
    adopt: (taskId, attempt) => {
      current.set(taskId, attempt)
    },
    attemptOf: (taskId) => current.get(taskId),
    current: () => new Map(current),
    forget: (taskId) => {
      early.delete(`${taskId}/${current.get(taskId)}`)
      current.delete(taskId)
    },
  }
}
