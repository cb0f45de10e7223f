// The status events of a run as phases with a length. Pure; the server's own timings group them the same way.
import { isTerminal } from '@millrace/contract/task-status'

export type StatusEvent = { status: number; event_time: string }
export type Phase = {
  label: 'queue' | 'dispatch' | 'prepare' | 'setup' | 'run' | 'upload'
  fromMs: number
  tookMs: number
}

const labels: Readonly<Record<number, Phase['label']>> = {
  1: 'queue',
  2: 'queue',
  3: 'dispatch',
  4: 'prepare',
  5: 'prepare',
  6: 'setup',
  7: 'run',
  8: 'run',
  9: 'upload',
}

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
    const label = labels[status]
    if (label === undefined || isTerminal(status)) continue
    const fromMs = times[index] ?? startMs
    const tookMs = Math.max(0, (times[index + 1] ?? endMs) - fromMs)
    const before = phases.at(-1)
    if (before?.label === label) before.tookMs += tookMs
    else phases.push({ label, fromMs, tookMs })
  }
  return { phases, startMs, totalMs: Math.max(1, endMs - startMs) }
}
