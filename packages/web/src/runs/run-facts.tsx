// Of a run: where it ran, and doing away with it.
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { Link, useRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { useRemoval } from '../ui/act.ts'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { useEngineNames } from './engine-names.ts'
import { appNameOf } from './names.ts'

/** Only what the list of engines holds can be opened; one that is gone, or for others to see, has its id to go by. */
export const EngineLink = ({ id }: { id: string }) => {
  const name = useEngineNames().get(id)
  if (name === undefined) return <Id id={id} />
  return (
    <Link to="/engines/$id" params={{ id }} className="text-accent hover:underline">
      {name || id.slice(0, 8)}
    </Link>
  )
}

export const DeleteRun = ({ task }: { task: Task }) => {
  const router = useRouter()
  const name = appNameOf(task)
  const remove = useRemoval({
    work: () => call('tasks.delete', { path: { id: task.id } }),
    resource: 'tasks',
    done: `The run of ${name} is deleted`,
    leave: () => router.navigate({ to: '/runs' }),
  })
  return (
    <ConfirmButton label="Delete" title={`Delete this run of ${name}?`} confirm="Delete" act={remove}>
      {isTerminal(task.status) ? null : 'It is cancelled first. '}
      Its logs and its output go with it; files that it has made stay.
    </ConfirmButton>
  )
}
