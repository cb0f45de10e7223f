// Of a run: who sees it, where it ran and for which flow, by their names; and doing away with it.
import type { visibilities } from '@millrace/contract/common'
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct, useRemoval } from '../ui/act.ts'
import { classes } from '../ui/classes.ts'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { inputLook } from '../ui/field.tsx'
import { useEngineNames } from './engine-names.ts'
import { appNameOf } from './names.ts'

type Visibility = (typeof visibilities)[number]

const words: Readonly<Record<Visibility, string>> = {
  private: 'whoever started it',
  team: 'the workspace',
  org: 'the organisation',
  unlisted: 'everyone with the link',
  public: 'everyone',
}

const isOpen = (each: Visibility): boolean => each === 'unlisted' || each === 'public'

/** Showing a run to everyone is for who started it and for administrators. */
const offered = (task: Task, mayOpen: boolean): Visibility[] =>
  (Object.keys(words) as Visibility[]).filter((each) => mayOpen || !isOpen(each) || each === task.visibility)

export const SeenBy = ({ task }: { task: Task }) => {
  const { me, team, isAdmin } = useSession()
  const set = useAct({
    work: (visibility: Visibility) => call('tasks.visibility', { path: { id: task.id }, body: { visibility } }),
    touches: ['tasks'],
    done: ({ visibility }) => `Seen by ${words[visibility as Visibility]} from now on`,
  })
  const held = set.data?.visibility ?? task.visibility
  if (task.team_id !== team.id) return words[held as Visibility]
  return (
    <select
      aria-label="Seen by"
      className={classes(inputLook, 'h-7')}
      value={held}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.target.value as Visibility)}
    >
      {offered(task, isAdmin || task.user_id === me.user.id).map((each) => (
        <option key={each} value={each}>
          {words[each]}
        </option>
      ))}
    </select>
  )
}

const linkLook = 'text-accent hover:underline'

/** Only what the list of engines holds can be opened; one that is gone, or for others to see, has its id to go by. */
export const EngineLink = ({ id }: { id: string }) => {
  const name = useEngineNames().get(id)
  if (name === undefined) return <Id id={id} />
  return (
    <Link to="/engines/$id" params={{ id }} className={linkLook}>
      {name || id.slice(0, 8)}
    </Link>
  )
}

export const FlowRunLink = ({ id }: { id: string }) => {
  const { data: run } = useQuery({ ...read('flow_runs.get', { path: { id } }), retry: false })
  const flow = useQuery({
    ...read('flows.get', { path: { id: run?.flow_id ?? '' } }),
    enabled: run !== undefined,
    retry: false,
  }).data
  return run ? (
    <Link to="/flows/$id" params={{ id: run.flow_id }} search={{ run: id }} className={linkLook}>
      {flow?.title || flow?.name || id.slice(0, 8)}
    </Link>
  ) : (
    id.slice(0, 8)
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
