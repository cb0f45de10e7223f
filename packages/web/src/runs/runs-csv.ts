// Runs as a CSV file. Pure.
import { isTerminal, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { csvText } from '../ui/csv.ts'
import { appNameOf } from './names.ts'
import { workStartOf } from './phases.ts'

const header = ['id', 'status', 'app', 'function', 'error', 'created_at', 'duration_ms', 'user_id', 'engine_id']

/** Empty for a run that has not ended or never started. */
const durationOf = ({ status, events }: Task): number | null => {
  const from = workStartOf(events)
  const to = events.at(-1)?.event_time
  return from !== undefined && to !== undefined && isTerminal(status) ? Date.parse(to) - Date.parse(from) : null
}

export const runsCsv = (runs: readonly Task[]): string =>
  csvText(
    header,
    runs.map((run) => [
      run.id,
      taskStatusText(run.status),
      appNameOf(run),
      run.function,
      run.error,
      run.created_at,
      durationOf(run),
      run.user_id,
      run.engine_id,
    ]),
  )
