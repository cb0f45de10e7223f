// Time per phase of a task, from its status events. Pure.
import { isTerminal, phaseOf, taskStatusText } from '@millrace/contract/task-status'
import type { TaskTimings } from '@millrace/contract/tasks'
import type { StatusEvent } from './row.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)}s`

const between = (start: string, end: string): number => Math.max(0, Date.parse(end) - Date.parse(start))

export const timingsOf = (taskId: string, status: number, events: readonly StatusEvent[], now: string): TaskTimings => {
  const last = events.at(-1)
  const terminal = isTerminal(status)
  const end = terminal ? (last?.event_time ?? now) : now
  const totalMs = events[0] ? between(events[0].event_time, end) : 0
  const groups: TaskTimings['groups'] = []
  for (const [index, event] of events.entries()) {
    const label = phaseOf(event.status)
    if (label === undefined) continue
    const next = events[index + 1]?.event_time
    const until = next ?? now
    const current = groups.at(-1)
    const group =
      current?.label === label ? current : { label, start_at: event.event_time, duration: '', duration_ms: 0 }
    if (group !== current) groups.push(group)
    group.duration_ms += between(event.event_time, until)
    group.duration = seconds(group.duration_ms)
    if (next !== undefined) group.end_at = next
    else delete group.end_at
  }
  return {
    task_id: taskId,
    status,
    total_duration: seconds(totalMs),
    total_duration_ms: totalMs,
    groups,
    events: events.map((event, index) => {
      const next = events[index + 1]
      const shown = { status: taskStatusText(event.status), timestamp: event.event_time }
      if (!next) return shown
      const ms = between(event.event_time, next.event_time)
      return { ...shown, duration: seconds(ms), duration_ms: ms, next_status: taskStatusText(next.status) }
    }),
  }
}
