// Converts an app session to its form on the wire.
import { wireTime } from '#platform/core/times.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { SessionRow } from './store.ts'

/** The idle time does not run during a task; this is the expiry if the task ended now. */
const wouldExpire = (row: SessionRow, now: Date): string => wireTime(new Date(now.getTime() + row.idle_timeout * 1000))

export const sessionDto = (row: SessionRow, now: Date) => ({
  ...resourceFields(row),
  visibility: row.visibility as 'private',
  worker_id: row.worker_id,
  app_id: row.app_id,
  app_version_id: row.app_version_id,
  status: row.status,
  expires_at: row.expires_at ?? row.ended_at ?? wouldExpire(row, now),
  ended_at: row.ended_at,
  last_call_at: row.last_call_at,
  task_id: row.task_id,
  call_count: row.call_count,
  idle_timeout: row.idle_timeout,
})
