// Summaries of the machine behind a task. They contain no address and nothing about other tasks: a worker goes on to
// serve other workspaces, so its current work is shown only if it is this task.
import { shortId } from '@millrace/contract/ids'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { TaskRow } from './row.ts'
import type { Machine } from './store.ts'

type SummarizedTask = Pick<TaskRow, 'id' | 'app_id' | 'app_version_id' | 'session_id'>

/** Only its owner sees a private engine, even if it ran the task of another user. */
export const mayReadMachine = (actor: Actor, machine: Machine): boolean =>
  machine.engine_visibility !== 'private' || (isMember(actor) && actor.userId === machine.engine_user_id)

export const engineSummary = (machine: Machine, task: SummarizedTask) => ({
  id: machine.engine_id,
  short_id: shortId(machine.engine_id),
  created_at: machine.engine_created_at,
  updated_at: machine.engine_updated_at,
  user_id: machine.engine_user_id,
  team_id: machine.engine_team_id,
  visibility: machine.engine_visibility,
  name: machine.engine_name,
  status: machine.engine_status,
  workers: machine.worker_id ? [workerSummary(machine, task)] : [],
})

export const workerSummary = (machine: Machine, task: SummarizedTask) => {
  const isHere = machine.task_id === task.id
  return {
    id: machine.worker_id,
    index: machine.index,
    user_id: machine.user_id,
    team_id: machine.team_id,
    status: machine.status,
    engine_id: machine.engine_id,
    engine_name: machine.engine_name,
    task_id: isHere ? task.id : null,
    app_id: isHere ? task.app_id : '',
    app_version_id: isHere ? task.app_version_id : '',
    active_session_id: machine.active_session_id === task.session_id ? task.session_id : null,
    gpus: machine.gpus,
    cpus: machine.cpus,
    rams: machine.rams,
  }
}
