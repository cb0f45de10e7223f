// What one connection carries to its engine, in an order that makes sense there: a cancel never overtakes the run it
// cancels, although the run's frame takes longer to make. Also knows which attempts this connection is about.
import type { ServerToEngine } from '@millrace/contract/engine-frames'

export type Outgoing = {
  send(frame: ServerToEngine): void
  /** The engine has this attempt from an earlier connection. */
  adopt(taskId: string, attempt: number): void
  /** The attempt that the engine was given last, as far as this connection knows. */
  attemptOf(taskId: string): number | undefined
  forget(taskId: string): void
}

export const createOutgoing = (write: (frame: ServerToEngine) => void): Outgoing => {
  const current = new Map<string, number>()
  const early = new Map<string, ServerToEngine[]>()

  const isCurrent = (taskId: string, attempt: number): boolean => current.get(taskId) === attempt

  return {
    send: (frame) => {
      if (frame.type === 'task_run') {
        const { id, attempt = 0 } = frame.data.task
        current.set(id, attempt)
        write(frame)
        for (const held of early.get(`${id}/${attempt}`) ?? []) write(held)
        early.delete(`${id}/${attempt}`)
      } else if (frame.type === 'task_cancel' || frame.type === 'task_force_cancel') {
        const { id, attempt } = frame.data.task
        if (attempt === undefined || isCurrent(id, attempt)) write(frame)
        else early.set(`${id}/${attempt}`, [...(early.get(`${id}/${attempt}`) ?? []), frame])
      } else write(frame)
    },
    adopt: (taskId, attempt) => {
      current.set(taskId, attempt)
    },
    attemptOf: (taskId) => current.get(taskId),
    forget: (taskId) => {
      early.delete(`${taskId}/${current.get(taskId)}`)
      current.delete(taskId)
    },
  }
}
