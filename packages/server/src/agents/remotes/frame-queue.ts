// Queues the frames of one remote, in order per command or session. Frames that arrive while earlier ones are being
// stored are stored together, up to a limit, so a burst becomes many short statements and not one long one. After a
// failure nothing more is stored, because later frames must not follow lost ones; the machine sends everything again.

export type FrameQueue<Frame> = {
  /** `done` is called when the frame was applied, or dropped by a failure. */
  push(id: string, frame: Frame, done: () => void): void
  idle(): Promise<void>
}

export const createFrameQueue = <Frame>(
  batchFrames: number,
  apply: (id: string, frames: readonly Frame[]) => Promise<void>,
  onFailure: (error: unknown, id: string) => void,
): FrameQueue<Frame> => {
  const waiting = new Map<string, { frame: Frame; done: () => void }[]>()
  const working = new Map<string, Promise<void>>()
  let failed = false

  const applied = async (id: string, frames: readonly Frame[]): Promise<void> => {
    if (failed) return
    await apply(id, frames).catch((error: unknown) => {
      if (!failed) onFailure(error, id)
      failed = true
    })
  }

  const work = async (id: string): Promise<void> => {
    for (let queue = waiting.get(id); queue && queue.length > 0; queue = waiting.get(id)) {
      const batch = queue.splice(0, batchFrames)
      await applied(
        id,
        batch.map(({ frame }) => frame),
      )
      for (const { done } of batch) done()
    }
    waiting.delete(id)
    working.delete(id)
  }

  return {
    push: (id, frame, done) => {
      const queue = waiting.get(id)
      if (queue) {
        queue.push({ frame, done })
        return
      }
      waiting.set(id, [{ frame, done }])
      working.set(id, work(id))
    },
    idle: async () => {
      await Promise.all(working.values())
    },
  }
}
