// An app session as the wire shows it.
import { shortId } from '@millrace/contract/ids'
import type { SessionRow } from './store.ts'

export const toSession = (row: SessionRow) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
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
