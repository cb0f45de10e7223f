// Groups the status events of a run into phases with a duration, as the server does. Pure.
import { phaseOf, type TaskPhase, taskStatus } from '@millrace/contract/task-status'

export type StatusEvent = { status: number; event_time: string }
export type Phase = {
  label: TaskPhase
  fromMs: number
  tookMs: number
}

/** When an engine took the run; undefined while it is queued, and for a run that never started. */
export const workStartOf = (events: readonly StatusEvent[]): string | undefined =>
  events.find(({ status }) => status > taskStatus.queued && status < taskStatus.completed)?.event_time

export const phasesOf = (
  events: readonly StatusEvent[],
  over: boolean,
  nowMs: number,
): { phases: Phase[]; startMs: number; totalMs: number } => {
  const times = events.map(({ event_time }) => Date.parse(event_time))
  const startMs = times[0] ?? nowMs
  const endMs = Math.max(startMs, over ? (times.at(-1) ?? nowMs) : nowMs)
  const phases: Phase[] = []
  for (const [index, { status }] of events.entries()) {
    const label = phaseOf(status)
    if (label === undefined) continue
    const fromMs = times[index] ?? startMs
    const tookMs = Math.max(0, (times[index + 1] ?? endMs) - fromMs)
    const before = phases.at(-1)
    if (before?.label === label) before.tookMs += tookMs
    else phases.push({ label, fromMs, tookMs })
  }
  return { phases, startMs, totalMs: Math.max(1, endMs - startMs) }
}
