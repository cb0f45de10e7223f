// The machine behind a task, as summaries: nothing of how to reach it.
import { shortId } from '@millrace/contract/ids'
import type { Machine } from './store.ts'

export const engineSummary = (machine: Machine) => ({
  id: machine.engine_id,
  short_id: shortId(machine.engine_id),
  name: machine.engine_name,
  status: machine.engine_status,
})

export const workerSummary = ({ engine_status: _status, infra: _infra, worker_id: id, ...worker }: Machine) => ({
  id,
  ...worker,
})
