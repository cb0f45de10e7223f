// SQL of the presence of engines: connections and reported states.
import { engineMoves } from '@millrace/contract/engine-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { oneMoreEvent } from './store.ts'

export const setConnected = async (
  db: Db,
  id: string,
  { status, serverId, number, now }: { status: 'draining' | 'running'; serverId: string; number: number; now: string },
): Promise<void> => {
  await db
    .updateTable('engines')
    .set({
      status,
      own_drain: false,
      asked_update: null,
      stop_reason: '',
      connected: true,
      server_id: serverId,
      connection_number: number,
      disconnected_at: null,
      last_seen_at: now,
      updated_at: now,
      ...oneMoreEvent,
    })
    .where('id', '=', id)
    .execute()
}

/** A restarting or stopping engine keeps its status after a disconnection. */
const lostStatus = sql<'disconnected'>`case when status = any(${engineMoves.lost.from}::text[]) then ${engineMoves.lost.to}
  else status end`

const lost = (now: string) => ({
  connected: false,
  disconnected_at: now,
  updated_at: now,
  status: lostStatus,
  ...oneMoreEvent,
})

/** Undefined if a later connection has replaced it. */
export const setDisconnected = (db: Db, id: string, connection: number, now: string) =>
  db
    .updateTable('engines')
    .set(lost(now))
    .where('id', '=', id)
    .where('connection_number', '=', connection)
    .returning(['status', 'stop_reason'])
    .executeTakeFirst()

/** Engines whose socket was held by a server that no longer exists. */
export const disconnectAbandoned = (db: Db, now: string) =>
  db
    .updateTable('engines')
    .set(lost(now))
    .where('connected', '=', true)
    .where(sql<boolean>`not exists (select from servers where servers.id = engines.server_id)`)
    .returning('id')
    .execute()

/** Returns its status; undefined for an unknown engine. */
export const touchSeen = (db: Db, id: string, now: string) =>
  db.updateTable('engines').set({ last_seen_at: now }).where('id', '=', id).returning('status').executeTakeFirst()

export const setTelemetry = async (
  db: Db,
  id: string,
  { now, ...facts }: { now: string; engine_version?: string; system_info?: string },
): Promise<void> => {
  await db
    .updateTable('engines')
    .set({ last_seen_at: now, ...facts, ...oneMoreEvent })
    .where('id', '=', id)
    .execute()
}

type Reported = 'draining' | 'restarting' | 'running' | 'stopping'

const moveOf = {
  draining: engineMoves.drainReported,
  restarting: engineMoves.restartReported,
  running: engineMoves.returnReported,
  stopping: engineMoves.stopReported,
}

/**
 * Further columns that change with the status. `own_drain` records that the engine started a drain by itself: only then
 * may it end the drain by itself.
 */
const alongside = {
  draining: { own_drain: sql<boolean>`status = 'running' or own_drain` },
  restarting: { own_drain: sql<boolean>`status = 'running' or own_drain` },
  running: { own_drain: false },
  stopping: { stop_reason: sql<string>`case when status = 'draining' then 'drained' else 'stopped' end` },
}

/** Whether the reported status changed anything. */
export const followReported = async (db: Db, id: string, status: Reported, now: string): Promise<boolean> => {
  const changed = await db
    .updateTable('engines')
    .set({ status, ...alongside[status], updated_at: now, ...oneMoreEvent })
    .where('id', '=', id)
    .where('status', 'in', moveOf[status].from)
    // A report of `running` ends only a drain that the engine started, never one that a user requested.
    .where('own_drain', 'in', status === 'running' ? [true] : [true, false])
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}
