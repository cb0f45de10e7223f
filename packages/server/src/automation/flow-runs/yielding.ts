// Long computations on the event loop, which yield regularly to other work.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { celFault } from '#platform/cel/cel.ts'
import type { Progress, Slices } from './engine/advance.ts'
import type { Plan } from './engine/plan.ts'

export const drain = async <T>(steps: Generator<undefined, T>): Promise<T> => {
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value
    await nextTurn()
  }
}

export const runSlices = (slices: Slices): Promise<Progress> => drain(slices)

/** Compiles the expressions of a plan before a run needs them, because a step could not yield. */
export const compileExpressions = async ({ nodes }: Plan): Promise<void> => {
  for (const { data } of nodes.values()) {
    const cases = data.switch?.cases.map((one) => one.when) ?? []
    for (const expression of [data.utility?.expression, data.when, ...cases]) {
      if (!expression) continue
      celFault(expression)
      await nextTurn()
    }
  }
}
