// What one connection carries to its engine, in an order that makes sense there: a cancel never overtakes the run it
// cancels, although the run's frame takes longer to make. Also knows which attempts this connection is about, and what
// it has told already.
import type { ServerToEngine } from '@millrace/contract/engine-frames'

export type Outgoing = {
  send(frame: ServerToEngine): void
  /** Sends what this connection has not told yet. */
  tellOnce(frame: ServerToEngine): void
  /** The engine is as it was before it was told to drain, restart or stop: the next such word is a new one. */
  forgetState(): void
  /** The engine has this attempt from an earlier connection. */
  adopt(taskId: string, attempt: number): void
  /** The attempt that the engine was given last, as far as this connection knows. */
  attemptOf(taskId: string): number | undefined
  /** Every task that the engine was given and has not ended, with its attempt. */
  current(): Map<string, number>
  forget(taskId: string): void
}

/** A connection may live for weeks: what was told long ago is not remembered for ever. */
const mostTold = 2_000

const stateFrames = ['engine_drain', 'engine_update', 'engine_stop'] as const

const attemptKey = ({ id, attempt }: { id: string; attempt?: number }): string => `${id}/${attempt}`

/** The same text for what need not be told twice; null for what may be. */
const toldKey = (frame: ServerToEngine): string | null => {
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
  const told = new Set<string>()

  const remember = (frame: ServerToEngine): void => {
    const key = toldKey(frame)
    if (key === null) return
    const [oldest] = told
    if (told.size >= mostTold && oldest !== undefined) told.delete(oldest)
    told.add(key)
  }

  const send = (frame: ServerToEngine): void => {
    remember(frame)
    if (frame.type === 'task_run') {
      const { id, attempt = 0 } = frame.data.task
      current.set(id, attempt)
      write(frame)
      for (const held of early.get(`${id}/${attempt}`) ?? []) write(held)
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
    tellOnce: (frame) => {
      const key = toldKey(frame)
      if (key === null || !told.has(key)) send(frame)
    },
    forgetState: () => {
      for (const type of stateFrames) told.delete(type)
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
