// Controls the end of one running task: cancellation, time limit and the reported reason. Cancelling is graceful while
// the function runs (the app's own handler, then a kill after a timeout) and immediate before that.

import type { AppProcess, Metadata } from '../app-process/app-process.ts'
import { messageOf } from '../failures.ts'

export type EndReason = 'cancelled' | 'timed_out' | 'superseded' | 'engine_stopped'

export type TaskControl = {
  signal: AbortSignal
  // The reason if the task was ended from outside.
  reason: () => EndReason | undefined
  enter: (phase: TaskPhase) => void
  attach: (process: AppProcess) => void
  end: (reason: EndReason) => void
  cancel: (options: { force: boolean; timeoutMs: number }) => Promise<CancelResult>
}

export type TaskPhase = { name: 'starting' } | { name: 'running'; metadata: Metadata } | { name: 'finishing' }
export type CancelResult = { ok: boolean; error?: string }

export const createTaskControl = (): TaskControl => {
  const aborter = new AbortController()
  let phase: TaskPhase = { name: 'starting' }
  let reason: EndReason | undefined
  let process: AppProcess | undefined
  let killTimer: NodeJS.Timeout | undefined

  const end = (why: EndReason) => {
    if (phase.name === 'finishing' && why !== 'superseded' && why !== 'engine_stopped') return
    reason ??= why
    aborter.abort()
    if (phase.name !== 'finishing') void process?.kill()
  }

  const askApp = async (living: AppProcess, metadata: Metadata, timeoutMs: number): Promise<CancelResult> => {
    killTimer = setTimeout(() => end('cancelled'), timeoutMs)
    try {
      const { handled } = await living.cancel(metadata)
      // Without a handler, the function cannot stop by itself.
      if (!handled) end('cancelled')
      return { ok: true }
    } catch (error) {
      if (!living.alive()) return { ok: true }
      end('cancelled')
      return { ok: false, error: messageOf(error) }
    }
  }

  return {
    signal: aborter.signal,
    reason: () => reason,
    enter: (next) => {
      phase = next
      if (next.name === 'finishing') clearTimeout(killTimer)
    },
    attach: (made) => {
      process = made
      if (aborter.signal.aborted) void made.kill()
    },
    end,
    cancel: async ({ force, timeoutMs }) => {
      if (phase.name === 'finishing') return { ok: false, error: 'the function has already finished' }
      reason ??= 'cancelled'
      if (!force && phase.name === 'running' && process) return askApp(process, phase.metadata, timeoutMs)
      end('cancelled')
      return { ok: true }
    },
  }
}
