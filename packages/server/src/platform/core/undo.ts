// What was started is stopped in reverse order, whatever of it fails: a start that breaks off halfway leaves nothing behind,
// and neither does a stop that comes while things are still being started.

export type Undo = {
  /** What undoes the step that was just done; done at once where everything is being undone already. */
  add(work: () => Promise<unknown>): Promise<void>
  /** Undoes everything, last step first. Throws the first failure once all was tried. */
  all(): Promise<void>
}

export const createUndo = (): Undo => {
  const steps: (() => Promise<unknown>)[] = []
  let undoing: Promise<void> | null = null

  const undoAll = async (): Promise<void> => {
    const failures: unknown[] = []
    for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  return {
    add: async (work) => {
      if (undoing) await work()
      else steps.push(work)
    },
    all: () => {
      undoing ??= undoAll()
      return undoing
    },
  }
}
