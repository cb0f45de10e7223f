// Chats that were deleted go for good after a while, with everything that belongs to them.
import { sql } from 'kysely'
import type { Platform } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'

const keptMs = 30 * 24 * 3600_000
const batch = 200

const deleteChatsBefore = async (db: Db, before: string): Promise<number> => {
  const { rows } = await sql<{ gone: number }>`
    with old as (select id from chats where deleted_at < ${before}::timestamptz limit ${batch}),
    messages as (delete from chat_messages where chat_id in (select id from old)),
    calls as (delete from tool_invocations where chat_id in (select id from old)),
    asked as (delete from interrupts where chat_id in (select id from old)),
    hooks as (delete from hook_calls where chat_id in (select id from old)),
    rules as (delete from tool_rules where owner_id in (select id from old) and level = 'chat'),
    runs as (delete from agent_runs where chat_id in (select id from old)),
    gone as (delete from chats where id in (select id from old) returning 1)
    select count(*)::integer as gone from gone`.execute(db)
  return rows[0]?.gone ?? 0
}

export const sweepChats = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - keptMs).toISOString()
  for (let gone = batch; gone === batch; ) gone = await deleteChatsBefore(platform.db, before)
}
