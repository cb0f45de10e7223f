// SQL of whether an engine is there: its connection, and the states it reports of itself.
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

/** One that restarts or is on its way out keeps saying so. */
const lostStatus = sql<'disconnected'>`case when status = any(${engineMoves.lost.from}::text[]) then ${engineMoves.lost.to}
  else status end`

const lost = (now: string) => ({
  connected: false,
  disconnected_at: now,
  updated_at: now,
  status: lostStatus,
  ...oneMoreEvent,
})

/** Nothing when a later connection has taken its place. */
export const setDisconnected = (db: Db, id: string, connection: number, now: string) =>
  db
    .updateTable('engines')
    .set(lost(now))
    .where('id', '=', id)
    .where('connection_number', '=', connection)
    .returning(['status', 'stop_reason'])
    .executeTakeFirst()

/** Engines whose socket was held by a server that is gone. */
export const disconnectAbandoned = (db: Db, now: string) =>
  db
    .updateTable('engines')
    .set(lost(now))
    .where('connected', '=', true)
    .where(sql<boolean>`not exists (select from servers where servers.id = engines.server_id)`)
    .returning('id')
    .execute()

/** How it stands; nothing when it is not known. */
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

/** What else changes with the state. That an engine began a drain by itself is remembered: only that it may end itself. */
const alongside = {
  draining: { own_drain: sql<boolean>`status = 'running' or own_drain` },
  restarting: { own_drain: sql<boolean>`status = 'running' or own_drain` },
  running: { own_drain: false },
  stopping: { stop_reason: sql<string>`case when status = 'draining' then 'drained' else 'stopped' end` },
}

/** Whether the engine's own word about its state changed anything. */
export const followReported = async (db: Db, id: string, status: Reported, now: string): Promise<boolean> => {
  const changed = await db
    .updateTable('engines')
    .set({ status, ...alongside[status], updated_at: now, ...oneMoreEvent })
    .where('id', '=', id)
    .where('status', 'in', moveOf[status].from)
    // Taking work again ends what the engine itself had begun, and never what somebody asked for here.
    .where('own_drain', 'in', status === 'running' ? [true] : [true, false])
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}
