// What apps wrote down of their executions, a line `run step` for each.

/** Steps that were executed although a later step of the same run had been: they were done, and were done again. */
export const doneAgain = (executions: readonly string[]): string[] => {
  const furthest = new Map<string, number>()
  return executions.filter((line) => {
    const [run = '', step = ''] = line.split(' ')
    const before = furthest.get(run) ?? -1
    furthest.set(run, Math.max(before, Number(step)))
    return Number(step) < before
  })
}
