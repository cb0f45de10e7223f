// SQL that copies the transcript of a chat. Contents stay in the database, however long the chat is: only ids are read.
import { newId } from '@millrace/contract/ids'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { columns } from '#platform/db/schema.gen.ts'
import type { ChatRow } from './store.ts'

/** The messages that one statement copies. */
const portion = 500

type Sql = RawBuilder<unknown>

/** The message, by full or short id, if the model has seen it. */
export const findForkPoint = (db: Db, chatId: string, id: string): Promise<{ id: string; order: number } | undefined> =>
  db
    .selectFrom('chat_messages')
    .select(['id', 'order'])
    .where('chat_id', '=', chatId)
    .where('status', '<>', 'queued')
    .where(idMatches('id', id))
    .orderBy('order')
    .limit(1)
    .executeTakeFirst()

/** Inserts a copy of each row `m` of the table under a new id; `changes` replaces columns. */
const copyRows = async (
  db: Db,
  table: 'chat_messages' | 'tool_invocations',
  { ids, newIds, parents }: { ids: readonly string[]; newIds: readonly string[]; parents: readonly string[] },
  changes: Readonly<Record<string, Sql>>,
): Promise<void> => {
  const names = columns[table]
  await sql`insert into ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))})
    select ${sql.join(names.map((name) => changes[name] ?? sql.ref(`m.${name}`)))}
    from unnest(${ids}::text[], ${newIds}::text[], ${parents}::text[]) as copy (id, new_id, parent_id)
      join ${sql.table(table)} m on m.id = copy.id`.execute(db)
}

const ownerOf = ({ id, team_id, user_id, updated_at }: ChatRow): Record<string, Sql> => ({
  id: sql`copy.new_id`,
  chat_id: sql`${id}`,
  team_id: sql`${team_id}`,
  user_id: sql`${user_id}`,
  updated_at: sql`${updated_at}::timestamptz`,
})

const isCallOver = sql`m.status in ('completed', 'failed', 'cancelled')`

const copyCalls = async (db: Db, to: ChatRow, copies: ReadonlyMap<string, string>): Promise<void> => {
  const calls = await db
    .selectFrom('tool_invocations')
    .select(['id', 'chat_message_id'])
    .where('chat_message_id', '=', sql<string>`any(${[...copies.keys()]}::text[])`)
    .execute()
  if (calls.length === 0) return
  const rows = {
    ids: calls.map(({ id }) => id),
    newIds: calls.map(() => newId()),
    parents: calls.map(({ chat_message_id }) => copies.get(chat_message_id) ?? ''),
  }
  await copyRows(db, 'tool_invocations', rows, {
    ...ownerOf(to),
    chat_message_id: sql`copy.parent_id`,
    run_id: sql`''`,
    token_hash: sql`null`,
    status: sql`case when ${isCallOver} then m.status else 'cancelled' end`,
    result: sql`case when ${isCallOver} then m.result else 'The call was not finished.' end`,
  })
}

/** Copies the messages up to `lastOrder` and their tool calls, without those that are still queued. */
export const copyTranscript = async (
  db: Db,
  { from, to, lastOrder }: { from: string; to: ChatRow; lastOrder: number },
): Promise<void> => {
  const changes = {
    ...ownerOf(to),
    agent_run_id: sql`null`,
    sent_as: sql`null`,
    event_seq: sql`${to.event_seq}`,
    status: sql`case when m.status = 'pending' then 'cancelled' else m.status end`,
  }
  for (let after = -1; ; ) {
    const rows = await db
      .selectFrom('chat_messages')
      .select(['id', 'order'])
      .where('chat_id', '=', from)
      .where('status', '<>', 'queued')
      .where('order', '>', after)
      .where('order', '<=', lastOrder)
      .orderBy('order')
      .limit(portion)
      .execute()
    const copies = new Map(rows.map(({ id }) => [id, newId()]))
    const [ids, newIds] = [[...copies.keys()], [...copies.values()]]
    await copyRows(db, 'chat_messages', { ids, newIds, parents: ids }, changes)
    await copyCalls(db, to, copies)
    if (rows.length < portion) return
    after = rows.at(-1)?.order ?? lastOrder
  }
}
