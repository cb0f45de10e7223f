// An app session as the wire shows it.
import { resourceFields } from '../db/resource.ts'
import type { SessionRow } from './store.ts'

export const toSession = (row: SessionRow) => ({
  ...resourceFields(row),
  visibility: row.visibility as 'private',
  worker_id: row.worker_id,
  app_id: row.app_id,
  app_version_id: row.app_version_id,
  status: row.status,
  expires_at: row.expires_at,
  ended_at: row.ended_at,
  last_call_at: row.last_call_at,
  task_id: row.task_id,
  call_count: row.call_count,
  idle_timeout: row.idle_timeout,
})
