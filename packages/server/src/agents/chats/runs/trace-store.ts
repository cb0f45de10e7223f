// SQL of the steps of a chat, without their contents. A chat has no limit of messages, so only the latest are read.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export const maxMessages = 2_000
const maxCalls = 5_000

/** The latest runs, oldest first. */
export const findRunSteps = async (db: Db, chatId: string) => {
  const rows = await db
    .selectFrom('agent_runs')
    .select(['id', 'created_at', 'updated_at', 'finished_at', 'state'])
    .where('chat_id', '=', chatId)
    .orderBy('created_at', 'desc')
    .orderBy('place', 'desc')
    .limit(maxMessages)
    .execute()
  return rows.reverse()
}

/** The latest messages, oldest first. */
export const findMessageSteps = async (db: Db, chatId: string) => {
  const rows = await db
    .selectFrom('chat_messages')
    .select(['id', 'created_at', 'updated_at', 'role', 'status', 'agent_run_id'])
    .where('chat_id', '=', chatId)
    .orderBy('order', 'desc')
    .limit(maxMessages)
    .execute()
  return rows.reverse()
}

export const findCallSteps = (db: Db, messageIds: readonly string[]) =>
  db
    .selectFrom('tool_invocations')
    .select(['id', 'created_at', 'updated_at', 'name', 'type', 'status', 'execution_id', 'chat_message_id'])
    .where('chat_message_id', '=', sql<string>`any(${[...messageIds]}::text[])`)
    .orderBy('chat_message_id')
    .orderBy('position')
    .limit(maxCalls)
    .execute()

export type RunStep = Awaited<ReturnType<typeof findRunSteps>>[number]
export type MessageStep = Awaited<ReturnType<typeof findMessageSteps>>[number]
export type CallStep = Awaited<ReturnType<typeof findCallSteps>>[number]
