// Long work on the one thread that serves everybody: it stops now and then, and whoever waits has a turn.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { celFault } from '#platform/cel/cel.ts'
import type { Progress, Slices } from './engine/advance.ts'
import type { Plan } from './engine/plan.ts'

export const inTurns = async (slices: Slices): Promise<Progress> => {
  for (let next = slices.next(); ; next = slices.next()) {
    if (next.done) return next.value
    await nextTurn()
  }
}

/** Compiles the expressions of a plan before a run needs them: in the middle of a step nobody else would have a turn. */
export const compileExpressions = async ({ nodes }: Plan): Promise<void> => {
  for (const { data } of nodes.values()) {
    const expression = data.utility?.expression
    if (!expression) continue
    celFault(expression)
    await nextTurn()
  }
}
