// Stops started parts in reverse order, even if some fail. This also works when a start fails halfway and when a stop
// begins during the start.

export type Undo = {
  /** Registers the step that undoes the previous one. Runs it at once if undoing has begun. */
  add(work: () => Promise<unknown>): Promise<void>
  /** Undoes all steps, the last one first. Throws the first failure after all steps ran. */
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
