// The machine behind a task, as summaries: nothing of how to reach it, and nothing of what it does for others. A worker goes
// on to serve other workspaces; what it runs now is shown only where it is this task.
import { shortId } from '@millrace/contract/ids'
import type { TaskRow } from './row.ts'
import type { Machine } from './store.ts'

export const engineSummary = (machine: Machine) => ({
  id: machine.engine_id,
  short_id: shortId(machine.engine_id),
  name: machine.engine_name,
  status: machine.engine_status,
})

type Seen = Pick<TaskRow, 'id' | 'app_id' | 'app_version_id' | 'session_id'>

export const workerSummary = (
  { engine_status: _status, infra: _infra, worker_id: id, ...worker }: Machine,
  task: Seen,
) => {
  const isHere = worker.task_id === task.id
  return {
    id,
    ...worker,
    task_id: isHere ? task.id : null,
    app_id: isHere ? task.app_id : '',
    app_version_id: isHere ? task.app_version_id : '',
    active_session_id: worker.active_session_id === task.session_id ? task.session_id : null,
  }
}
