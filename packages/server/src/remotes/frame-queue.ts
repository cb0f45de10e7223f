// Frames of one remote's commands, in order per command. What arrives while the last ones are being stored waits, and is
// stored together, within a bound: one command's flood is many short statements, not one long one. After a failure nothing
// more is stored: what was lost must not be followed by what came later. The machine says it all again.
import type { ExecFrame } from './frames.ts'

export type FrameQueue = {
  /** `done` is called when the frame was applied, or dropped by a failure. */
  push(frame: ExecFrame, done: () => void): void
  idle(): Promise<void>
}

const batchFrames = 16

export const createFrameQueue = (
  apply: (runId: string, frames: readonly ExecFrame[]) => Promise<void>,
  onFailure: (error: unknown, runId: string) => void,
): FrameQueue => {
  const waiting = new Map<string, { frame: ExecFrame; done: () => void }[]>()
  const working = new Map<string, Promise<void>>()
  let failed = false

  const applied = async (runId: string, frames: readonly ExecFrame[]): Promise<void> => {
    if (failed) return
    await apply(runId, frames).catch((error: unknown) => {
      if (!failed) onFailure(error, runId)
      failed = true
    })
  }

  const work = async (runId: string): Promise<void> => {
    for (let queue = waiting.get(runId); queue && queue.length > 0; queue = waiting.get(runId)) {
      const batch = queue.splice(0, batchFrames)
      await applied(
        runId,
        batch.map(({ frame }) => frame),
      )
      for (const { done } of batch) done()
    }
    waiting.delete(runId)
    working.delete(runId)
  }

  return {
    push: (frame, done) => {
      const runId = frame.data.exec_run_id
      const queue = waiting.get(runId)
      if (queue) {
        queue.push({ frame, done })
        return
      }
      waiting.set(runId, [{ frame, done }])
      working.set(runId, work(runId))
    },
    idle: async () => {
      await Promise.all(working.values())
    },
  }
}
