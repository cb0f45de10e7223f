// The app, chat and engine of a run, and the action that deletes a run.
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useRemoval } from '../ui/act.ts'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { useEngineNames } from './engine-names.ts'
import { appNameOf, appOf } from './names.ts'
import { strings } from './strings.ts'

const words = strings.facts

/** A link to the engine if the list of engines contains it. A deleted or invisible engine is shown by its id. */
export const EngineLink = ({ id }: { id: string }) => {
  const name = useEngineNames().get(id)
  if (name === undefined) return <Id id={id} />
  return (
    <Link to="/engines/$id" params={{ id }} className="text-accent hover:underline">
      {name || id.slice(0, 8)}
    </Link>
  )
}

/** The task of a flow run has no app; its flow run is a fact of its own. */
export const AppLink = ({ task }: { task: Task }) => {
  const { namespace, name } = appOf(task)
  if (!namespace || !name) return appNameOf(task)
  return (
    <Link to="/apps/$namespace/$name" params={{ namespace, name }} className="text-accent hover:underline">
      {appNameOf(task)}
    </Link>
  )
}

/** A deleted or invisible chat is shown by its id. */
export const ChatLink = ({ id }: { id: string }) => {
  const { data: chat } = useQuery({ ...read('chats.get', { path: { id } }), retry: false })
  if (!chat) return <Id id={id} />
  return (
    <Link to="/chats/$id" params={{ id }} className="text-accent hover:underline">
      {chat.name || strings.run.unnamedChat}
    </Link>
  )
}

export const DeleteRun = ({ task }: { task: Task }) => {
  const router = useRouter()
  const name = appNameOf(task)
  const remove = useRemoval({
    work: () => call('tasks.delete', { path: { id: task.id } }),
    resource: 'tasks',
    done: words.deleted(name),
    leave: () => router.navigate({ to: '/runs' }),
  })
  return (
    <ConfirmButton label={words.delete} title={words.deleteTitle(name)} confirm={words.delete} act={remove}>
      {isTerminal(task.status) ? null : words.cancelsFirst}
      {words.deleteText}
    </ConfirmButton>
  )
}
