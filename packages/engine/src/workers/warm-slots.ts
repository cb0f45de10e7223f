// Several warm processes of one worker, of which at most one runs. A worker with a GPU keeps the processes of several
// apps, as far as the memory of its cards allows, because loading a model takes long.

import type { RunnableTask } from '@millrace/contract/engine-frames'
import { createWarmSlot, type WarmSlot, type WarmSlotOptions } from './warm-slot.ts'

type Used = { slot: WarmSlot; usedAt: number }

export const createWarmSlots = (options: WarmSlotOptions, maxProcesses: number): WarmSlot => {
  const slots: Used[] = []
  const lostSessions = new Set<string>()
  let clock = 0
  let current: Used | undefined

  const add = (): Used => {
    const made = { slot: createWarmSlot({ ...options, lostSessions }), usedAt: 0 }
    slots.push(made)
    return made
  }

  /** The process that fits, an unused one, a new one, or the least recently used one without a session. */
  const pick = (task: RunnableTask, env: Record<string, string>): Used => {
    const fitting = slots.find(({ slot }) => slot.serves(task, env)) ?? slots.find(({ slot }) => slot.state().isEmpty)
    if (fitting) return fitting
    if (slots.length < maxProcesses) return add()
    const [oldest] = slots
      .toSorted((one, other) => one.usedAt - other.usedAt)
      .toSorted((one, other) => Number(hasSession(one)) - Number(hasSession(other)))
    return oldest ?? add()
  }

  const states = () => slots.map(({ slot }) => slot.state())

  return {
    obtain: (request) => {
      current = pick(request.task, request.env)
      current.usedAt = ++clock
      return current.slot.obtain(request)
    },
    endRun: () => current?.slot.endRun(),
    serves: (task, env) => slots.some(({ slot }) => slot.serves(task, env)),
    endSession: async (sessionId) => {
      await Promise.all(slots.map(({ slot }) => slot.endSession(sessionId)))
    },
    empty: async () => {
      await Promise.all(slots.map(({ slot }) => slot.empty()))
    },
    state: () => {
      const all = states()
      const shown = current?.slot.state()
      const session = all.find(({ sessionId }) => sessionId !== undefined)?.sessionId
      return {
        isEmpty: all.every(({ isEmpty }) => isEmpty),
        gpuBytes: all.reduce((sum, { gpuBytes }) => sum + gpuBytes, 0),
        ...(shown?.gpuPeakBytes !== undefined && { gpuPeakBytes: shown.gpuPeakBytes }),
        appId: shown?.appId ?? '',
        versionId: shown?.versionId ?? '',
        ...(session !== undefined && { sessionId: session }),
        warmApps: all.flatMap(({ warmApps }) => warmApps),
      }
    },
  }
}

const hasSession = ({ slot }: Used): boolean => slot.state().sessionId !== undefined
