// Queues frames of an engine by task, in order. Frames that arrive together are applied together: a short task then
// needs one statement instead of four.
import type { TaskFrame } from '@millrace/contract/engine-frames'
import type { StampedFrame } from './frame-steps.ts'

export type FrameQueue = {
  /** `done` is called when the frame was applied, or dropped because of an error. */
  push(frame: TaskFrame, done: () => void): void
  idle(): Promise<void>
}

export type FrameQueueParts = {
  now: () => Date
  apply: (taskId: string, frames: readonly StampedFrame[]) => Promise<void>
  onError: (error: unknown, frame: TaskFrame) => void
}

type QueuedFrame = StampedFrame & { done: () => void }

export const createFrameQueue = ({ now, apply, onError }: FrameQueueParts): FrameQueue => {
  const waiting = new Map<string, QueuedFrame[]>()
  const working = new Map<string, Promise<void>>()

  const work = async (taskId: string): Promise<void> => {
    for (let frames = waiting.get(taskId); frames; frames = waiting.get(taskId)) {
      waiting.delete(taskId)
      const [first] = frames
      await apply(taskId, frames).catch((error: unknown) => {
        if (first) onError(error, first.frame)
      })
      for (const { done } of frames) done()
    }
    working.delete(taskId)
  }

  const start = (taskId: string): void => {
    if (!working.has(taskId) && waiting.has(taskId)) working.set(taskId, work(taskId))
  }

  return {
    push: (frame, done) => {
      const taskId = frame.data.task_id
      const entry = { frame, at: now().toISOString(), done }
      const queue = waiting.get(taskId)
      if (queue) queue.push(entry)
      else {
        waiting.set(taskId, [entry])
        setImmediate(start, taskId)
      }
    },
    idle: async () => {
      for (const taskId of waiting.keys()) start(taskId)
      await Promise.all(working.values())
    },
  }
}
