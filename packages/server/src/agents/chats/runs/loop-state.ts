// Converts the rows of a run to the state of the pure loop.
import type { LoopPhase, LoopState } from '../loop/decide.ts'
import type * as store from '../store.ts'
import { operationOf } from '../tools/offered.ts'
import { changeCall, changeRun, currentCalls, isEnding, runOf, type Scene } from './scene.ts'

export const stateOf = (scene: Scene): LoopState => {
  const run = runOf(scene)
  return {
    phase: run.phase as LoopPhase,
    turn: run.turn,
    lost: run.lost,
    calls: currentCalls(scene).map((call) => ({
      id: call.id,
      status: call.status as LoopState['calls'][number]['status'],
      ...(isFinish(scene, call) && finishOf(call) && { finish: finishOf(call) }),
      ...(isEnding(scene, call.id) && { isEnding: true }),
    })),
  }
}

/** The agent may have renamed the tool. */
export const isFinish = ({ version }: Scene, { type, name }: store.CallRow): boolean =>
  type === 'internal' && operationOf(version.config, name) === 'finish'

const finishOf = (call: store.CallRow) =>
  (call.data as { status?: 'succeeded' | 'failed' | 'cancelled' } | null)?.status

export const applyState = (scene: Scene, { phase, turn, lost, calls }: LoopState): void => {
  const run = runOf(scene)
  if (run.phase !== phase || run.turn !== turn || run.lost !== lost) changeRun(scene, { phase, turn, lost })
  for (const { id, status } of calls) if (scene.calls.get(id)?.status !== status) changeCall(scene, id, { status })
}
