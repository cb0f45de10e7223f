// What a finished task used, from the times of its statuses. Pure: usage follows from the row and is not kept twice.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { StatusEvent, TaskRow } from './row.ts'

export type UsageEvent = {
  id: string
  reference_id: string
  resource_id: string
  usage_billing_record_id: string
  tier: 'private' | 'cloud'
  type: 'cpu' | 'gpu'
  model: string
  quantity: number
  unit: 'second'
}

/** From the start of setup to the end: the time the app's process worked for this task. */
const workedSeconds = (events: readonly StatusEvent[]): number => {
  const start = events.find(({ status }) => status >= taskStatus.setting_up && !isTerminal(status))
  const end = events.at(-1)
  if (!start || !end) return 0
  return Math.max(0, Date.parse(end.event_time) - Date.parse(start.event_time)) / 1000
}

export const usageOf = (
  task: Pick<TaskRow, 'id' | 'status' | 'events' | 'worker_id' | 'gpu_count' | 'gpu_type'>,
  tier: UsageEvent['tier'],
): UsageEvent[] => {
  if (!isTerminal(task.status)) return []
  const seconds = workedSeconds(task.events as StatusEvent[])
  if (seconds === 0) return []
  const entry = (type: UsageEvent['type'], model: string, quantity: number): UsageEvent => ({
    id: `${task.id}-${type}`,
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
