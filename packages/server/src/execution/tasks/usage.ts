// The usage of a finished task, from the times of its statuses. Pure: usage is derived from the row and not stored
// separately.
import { shortId } from '@millrace/contract/ids'
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { StatusEvent, TaskRow } from './row.ts'

export type UsageEvent = {
  id: string
  short_id: string
  created_at: string
  updated_at: string
  user_id: string
  team_id: string
  visibility: string
  reference_id: string
  resource_id: string
  usage_billing_record_id: string
  tier: 'private' | 'cloud'
  type: 'cpu' | 'gpu'
  model: string
  quantity: number
  unit: 'second'
}

type Used = Pick<
  TaskRow,
  'id' | 'user_id' | 'team_id' | 'visibility' | 'status' | 'events' | 'worker_id' | 'gpu_count' | 'gpu_type'
>

/** From the start of setup to the end: the time that the app's process worked for this task. */
const workedSeconds = (events: readonly StatusEvent[]): number => {
  const start = events.find(({ status }) => status >= taskStatus.setting_up && !isTerminal(status))
  const end = events.at(-1)
  if (!start || !end) return 0
  return Math.max(0, Date.parse(end.event_time) - Date.parse(start.event_time)) / 1000
}

export const usageOf = (task: Used, tier: UsageEvent['tier']): UsageEvent[] => {
  if (!isTerminal(task.status)) return []
  const seconds = workedSeconds(task.events as StatusEvent[])
  if (seconds === 0) return []
  const { user_id, team_id, visibility } = task
  const endedAt = (task.events as StatusEvent[]).at(-1)?.event_time ?? ''
  const entry = (type: UsageEvent['type'], model: string, quantity: number): UsageEvent => ({
    id: `${task.id}-${type}`,
    short_id: shortId(task.id),
    created_at: endedAt,
    updated_at: endedAt,
    user_id,
    team_id,
    visibility,
    reference_id: task.id,
    resource_id: task.worker_id ?? '',
    usage_billing_record_id: '',
    tier,
    type,
    model,
    quantity,
    unit: 'second',
  })
  const gpu = task.gpu_count > 0 ? [entry('gpu', task.gpu_type, seconds * task.gpu_count)] : []
  return [entry('cpu', '', seconds), ...gpu]
}
