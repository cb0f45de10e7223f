// The runs that workers execute, with the names of their apps.
import type { ReplyOf } from '@millrace/contract/call'
import type { Task } from '@millrace/contract/tasks'
import { Link } from '@tanstack/react-router'
import { useList } from '../api/list.ts'
import { appNameOf } from '../runs/names.ts'
import { strings } from './strings.ts'

type Engine = ReplyOf<'engines.get'>

export type NameOfRun = (taskId: string) => string | undefined

/** Runs of other workspaces are not readable and have no name. */
export const useRunsOn = (engines: readonly Engine[]): NameOfRun => {
  const ids = engines.flatMap(({ workers }) => workers.flatMap(({ task_id }) => task_id ?? [])).sort()
  const { items } = useList(
    'tasks.list',
    { filters: [{ field: 'id', operator: 'in', value: ids }], limit: 100 },
    { enabled: ids.length > 0 },
  )
  const byId = new Map<string, Task>(items.map((task) => [task.id, task]))
  return (taskId) => {
    const task = byId.get(taskId)
    return task && appNameOf(task)
  }
}

export const RunLink = ({ taskId, nameOf }: { taskId: string; nameOf: NameOfRun }) => {
  const name = nameOf(taskId)
  if (name === undefined) return <span className="text-faint">{strings.runOfOtherWorkspace}</span>
  return (
    <Link to="/runs/$id" params={{ id: taskId }} className="text-accent hover:underline" title={taskId}>
      {name}
    </Link>
  )
}
