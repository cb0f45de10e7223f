// The executions that apps recorded, one line `run step` each.

/** Steps that were repeated after a later step of the same run, and so after they were finished. */
export const doneAgain = (executions: readonly string[]): string[] => {
  const furthest = new Map<string, number>()
  return executions.filter((line) => {
    const [run = '', step = ''] = line.split(' ')
    const before = furthest.get(run) ?? -1
    furthest.set(run, Math.max(before, Number(step)))
    return Number(step) < before
  })
}
