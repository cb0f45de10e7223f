// How the runs that events started ended. An event only says that its run was started.
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import { taskStatus } from '@millrace/contract/task-status'
import type { TriggerFire } from '@millrace/contract/triggers'
import { useList } from '../api/list.ts'

const idsOf = (ids: readonly (string | null | undefined)[]): string[] => ids.filter((id) => typeof id === 'string')

/** The ids of the runs and flow runs that failed. */
export const useFailedRuns = (fires: readonly TriggerFire[]): ReadonlySet<string> => {
  const tasks = idsOf(fires.map(({ task_id }) => task_id))
  const flowRuns = idsOf(fires.map(({ flow_run_id }) => flow_run_id))
  const failed = (ids: readonly string[], status: number) => ({
    limit: 100,
    filters: [
      { field: 'id', operator: 'in', value: [...ids] },
      { field: 'status', operator: 'eq', value: status },
    ],
  })
  const failedTasks = useList('tasks.list', failed(tasks, taskStatus.failed), { enabled: tasks.length > 0 })
  const failedFlows = useList('flow_runs.list', failed(flowRuns, flowRunStatus.failed), {
    enabled: flowRuns.length > 0,
  })
  return new Set([...failedTasks.items, ...failedFlows.items].map(({ id }) => id))
}

/** Pure. */
export const hasFailed = (
  { task_id, flow_run_id }: Pick<TriggerFire, 'task_id' | 'flow_run_id'>,
  failed: ReadonlySet<string>,
): boolean => (task_id ? failed.has(task_id) : false) || (flow_run_id ? failed.has(flow_run_id) : false)
