// SQL of chats, messages, runs and tool calls. Everything in a chat changes under the lock of its row.
import { isShortId } from '@millrace/contract/ids'
import { type InferResult, type Insertable, type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { shortRead } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { type OwnedRow, teamOrg } from '#platform/tenancy/visibility.ts'

/** Every chat, including deleted ones; the caller adds conditions. */
const allChats = (db: Db) => db.selectFrom('chats').selectAll('chats').select(teamOrg('chats'))

export const selectChats = (db: Db) => allChats(db).where('chats.deleted_at', 'is', null)

export type ChatRow = InferResult<ReturnType<typeof selectChats>>[number]
export type MessageRow = Selectable<Database['chat_messages']>
export type RunRow = Selectable<Database['agent_runs']>
export type CallRow = Selectable<Database['tool_invocations']>
export type HookCallRow = Selectable<Database['hook_calls']>
export type ErrandRow = Selectable<Database['agent_errands']>

/** By full or short id, including deleted chats; an ambiguous short id matches nothing. */
export const findChat = async (db: Db, id: string): Promise<ChatRow | undefined> => {
  const rows = isShortId(id)
    ? await allChats(db).where(idMatches('chats.id', id)).limit(2).execute()
    : await chatById(db, id)
  return rows.length === 1 ? rows[0] : undefined
}

const chatById = shortRead((db, id: string) => allChats(db).where('chats.id', '=', id).limit(1))

/** The owner and visibility of an agent, including deleted ones, which existing chats continue to use. */
export const findAgentOwner = (db: Db, id: string): Promise<OwnedRow | undefined> =>
  db
    .selectFrom('agents')
    .select(['agents.team_id', 'agents.user_id', 'agents.visibility', teamOrg('agents')])
    .where('agents.id', '=', id)
    .limit(1)
    .executeTakeFirst()

/** The newest children of each chat that the caller may see. */
export const findChildren = (
  db: Db,
  parentIds: readonly string[],
  visible: RawBuilder<SqlBool>,
  perChat: number,
): Promise<ChatRow[]> =>
  selectChats(db)
    .where(
      sql<SqlBool>`chats.id in (select child.id from unnest(${[...parentIds]}::text[]) as parent (id), lateral (
        select c.id from chats c where c.parent_id = parent.id order by c.created_at desc, c.id desc limit ${perChat}) child)`,
    )
    .where(visible)
    .orderBy('chats.created_at', 'desc')
    .orderBy('chats.id', 'desc')
    .execute()

export const insertChat = async (db: Db, chat: Insertable<Database['chats']>): Promise<void> => {
  await db.insertInto('chats').values(chat).execute()
}

export const findRun = async (db: Db, id: string): Promise<RunRow | undefined> => {
  const rows = await db.selectFrom('agent_runs').selectAll().where(idMatches('id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findRuns = (db: Db, ids: readonly string[]): Promise<RunRow[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('agent_runs')
        .selectAll()
        .where('id', 'in', [...ids])
        .execute()

export const selectMessages = (db: Db, chatId: string) =>
  db.selectFrom('chat_messages').selectAll().where('chat_messages.chat_id', '=', chatId)

/** Reads the calls in the same snapshot. */
export const selectMessagesWithCalls = (db: Db, chatId: string) =>
  selectMessages(db, chatId).select(
    sql<Record<string, unknown>[]>`(select coalesce(jsonb_agg(to_jsonb(i) order by i.position), '[]')
      from tool_invocations i where i.chat_message_id = chat_messages.id)`.as('calls'),
  )

export const findMessage = async (db: Db, id: string): Promise<MessageRow | undefined> => {
  const rows = await db.selectFrom('chat_messages').selectAll().where(idMatches('id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** The unfinished message of a model's task whose run was stopped. */
export const findStoppedMessage = (db: Db, chatId: string, taskId: string): Promise<MessageRow | undefined> =>
  selectMessages(db, chatId)
    .where('chat_messages.task_id', '=', taskId)
    .where('chat_messages.status', '=', 'cancelled')
    .limit(1)
    .executeTakeFirst()

/** With their calls, from the last compaction on: the model no longer sees earlier messages. */
export const findTranscript = (db: Db, chatId: string) =>
  selectMessagesWithCalls(db, chatId)
    .where('chat_messages.status', '<>', 'queued')
    .where(
      'chat_messages.order',
      '>=',
      sql<number>`coalesce((select max("order") from chat_messages where chat_id = ${chatId} and role = 'compaction'), 0)`,
    )
    .orderBy('chat_messages.order')
    .execute()

/** Messages of a run, and those that changed after a point. */
export const findMessagesOfRun = (db: Db, chatId: string, runId: string): Promise<MessageRow[]> =>
  selectMessages(db, chatId).where('agent_run_id', '=', runId).orderBy('order').execute()

export const findMessagesSince = (db: Db, chatId: string, seq: number): Promise<MessageRow[]> =>
  selectMessages(db, chatId).where('event_seq', '>', seq).orderBy('order').execute()

export const findQueued = (db: Db, chatId: string): Promise<MessageRow[]> =>
  selectMessages(db, chatId).where('status', '=', 'queued').orderBy('order').execute()

/** The database adds up the lengths, because a full queue takes too long to read. */
export const sizeOfQueue = (db: Db, chatId: string): Promise<{ count: number; length: number }> =>
  db
    .selectFrom('chat_messages')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<number>`coalesce(sum(length(content::text)), 0)`.as('length'),
    ])
    .where('chat_id', '=', chatId)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()

export const findCall = async (db: Db, id: string): Promise<CallRow | undefined> => {
  const rows = await db.selectFrom('tool_invocations').selectAll().where(idMatches('id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findCallsOfMessages = (db: Db, messageIds: readonly string[]): Promise<CallRow[]> =>
  messageIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('tool_invocations')
        .selectAll()
        .where('chat_message_id', 'in', [...messageIds])
        .orderBy('chat_message_id')
        .orderBy('position')
        .execute()

export const findCallsOfRun = (db: Db, runId: string): Promise<CallRow[]> =>
  db
    .selectFrom('tool_invocations')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('created_at')
    .orderBy('position')
    .execute()

export const setExplanation = async (db: Db, id: string, explanation: object): Promise<void> => {
  await db
    .updateTable('tool_invocations')
    .set({ explanation: JSON.stringify(explanation) })
    .where('id', '=', id)
    .execute()
}

export const findHookCall = (db: Db, id: string): Promise<HookCallRow | undefined> =>
  db.selectFrom('hook_calls').selectAll().where('id', '=', id).limit(1).executeTakeFirst()

export const upsertHookCalls = async (db: Db, rows: readonly Insertable<Database['hook_calls']>[]): Promise<void> => {
  if (rows.length === 0) return
  await db
    .insertInto('hook_calls')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        data: eb.ref('excluded.data'),
        execution_id: eb.ref('excluded.execution_id'),
      })),
    )
    .execute()
}

export const deleteHookCalls = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await db
    .deleteFrom('hook_calls')
    .where('id', 'in', [...ids])
    .execute()
}

export const insertErrands = async (db: Db, rows: readonly Insertable<Database['agent_errands']>[]): Promise<void> => {
  if (rows.length === 0) return
  await db
    .insertInto('agent_errands')
    .values([...rows])
    .execute()
}

/** The model turn, call or hook that waits for this task. */
export const findWaitingFor = async (db: Db, taskId: string) => {
  const { rows } = await sql<{ kind: 'model' | 'call' | 'hook'; id: string; chat_id: string; run_id: string }>`
    select 'model' as kind, id, chat_id, id as run_id from agent_runs where model_task_id = ${taskId} and finished_at is null
    union all
    select 'call', id, chat_id, run_id from tool_invocations where execution_id = ${taskId}
    union all
    select 'hook', id, chat_id, run_id from hook_calls where execution_id = ${taskId}`.execute(db)
  return rows[0]
}

export const setToken = async (db: Db, callId: string, hash: Buffer): Promise<void> => {
  await db.updateTable('tool_invocations').set({ token_hash: hash }).where('id', '=', callId).execute()
}

export const findLatestRun = (db: Db, chatId: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('agent_runs')
    .selectAll()
    .where('chat_id', '=', chatId)
    .orderBy('created_at', 'desc')
    .orderBy('place', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The active run that a task represents. */
export const findRepresentedRun = (db: Db, chatId: string, taskId: string): Promise<RunRow | undefined> =>
  db
    .selectFrom('agent_runs')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('task_id', '=', taskId)
    .where('finished_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
