// SQL of a step: one statement reads the locked chat with its active run, and one statement writes all changes. A turn
// is two steps, so each statement runs exactly twice per turn.
import { sql } from 'kysely'
import { wireTimeOfJson } from '#platform/core/times.ts'
import type { Db } from '#platform/db/database.ts'
import { posted, prepared } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import type { InterruptRow } from '../interrupts/interrupts-store.ts'
import type { CallRow, ChatRow, HookCallRow, MessageRow, RunRow } from '../store.ts'

type Json = Record<string, unknown>

/** Converts times to their wire form. */
const wireTimes = (row: Json): Json => {
  for (const [name, value] of Object.entries(row))
    if (name.endsWith('_at') && typeof value === 'string') row[name] = wireTimeOfJson(value)
  return row
}

const bytesOf = (hex: unknown): Buffer | null => (typeof hex === 'string' ? Buffer.from(hex.slice(2), 'hex') : null)

const rowsOf = <Row>(rows: readonly Json[]): Row[] => rows.map((row) => wireTimes(row) as Row)
/** Calls from JSON rows. */
export const callsOf = (rows: readonly Json[]): CallRow[] =>
  rows.map((row) => ({ ...wireTimes(row), token_hash: bytesOf(row.token_hash) }) as CallRow)

type FoundRows = { chat: Json; run: Json; messages: Json[]; calls: Json[]; interrupts: Json[] }
type FoundChat = Omit<FoundRows, 'run'> & { run: Json | null; hook_calls: Json[] }

/** A chat `c` as a JSON row. */
const chatJson = sql`to_jsonb(c) || jsonb_build_object('team_org_id', (select org_id from teams where id = c.team_id))`

const lock = posted((_db, chatId: string) => sql`select from chats where id = ${chatId} for update`)

/**
 * The chat; its active run with the current message, queued messages, the calls of that message, and what the run waits
 * for.
 */
const live = prepared(
  (_db, chatId: string) => sql<FoundChat>`
    select ${chatJson} as chat, to_jsonb(r) as run,
      (select coalesce(jsonb_agg(to_jsonb(m) order by m."order"), '[]') from (
        select * from chat_messages where id = r.message_id
        union all select * from chat_messages where chat_id = r.chat_id and status = 'queued') m) as messages,
      (select coalesce(jsonb_agg(to_jsonb(i) order by i.position), '[]')
        from tool_invocations i where i.chat_message_id = r.message_id) as calls,
      (select coalesce(jsonb_agg(to_jsonb(q) order by q.created_at, q.id), '[]')
        from interrupts q where q.run_id = r.id and q.status = 'pending') as interrupts,
      (select coalesce(jsonb_agg(to_jsonb(h) order by h.position), '[]')
        from hook_calls h where h.run_id = r.id) as hook_calls
    from chats c left join agent_runs r on r.id = c.active_run_id and r.finished_at is null where c.id = ${chatId}`,
)

export type RunWithChat = {
  chat: ChatRow
  run: RunRow
  messages: MessageRow[]
  calls: CallRow[]
  interrupts: InterruptRow[]
}
export type LockedChat = Omit<RunWithChat, 'run'> & { run: RunRow | null; hookCalls: HookCallRow[] }

/** Locks the chat and reads it with its active run, if any. Includes deleted chats. */
export const lockLiveChat = async (db: Db, chatId: string): Promise<LockedChat | undefined> => {
  // A separate statement, so that the read after it sees everything committed while waiting for the lock.
  await lock(db, chatId)
  const [found] = await live(db, chatId)
  return (
    found && {
      chat: wireTimes(found.chat) as ChatRow,
      run: found.run && (wireTimes(found.run) as RunRow),
      messages: rowsOf<MessageRow>(found.messages),
      calls: callsOf(found.calls),
      interrupts: rowsOf<InterruptRow>(found.interrupts),
      hookCalls: rowsOf<HookCallRow>(found.hook_calls),
    }
  )
}

const runWithChat = prepared(
  (_db, runId: string) => sql<FoundRows>`
    select ${chatJson} as chat, to_jsonb(r) as run,
      (select coalesce(jsonb_agg(to_jsonb(m) order by m."order"), '[]')
        from chat_messages m where m.agent_run_id = r.id) as messages,
      (select coalesce(jsonb_agg(to_jsonb(i) order by i.chat_message_id, i.position), '[]')
        from tool_invocations i where i.run_id = r.id) as calls,
      (select coalesce(jsonb_agg(to_jsonb(q) order by q.created_at, q.id), '[]')
        from interrupts q where q.run_id = r.id and q.status = 'pending') as interrupts
    from agent_runs r join chats c on c.id = r.chat_id where r.id = ${runId}`,
)

/** A run with its chat and all its messages and calls, as the snapshot of a stream. */
export const findRunWithChat = async (db: Db, runId: string): Promise<RunWithChat | undefined> => {
  const [found] = await runWithChat(db, runId)
  if (!found) return undefined
  const { run, chat, messages, calls, interrupts } = found
  return {
    run: wireTimes(run) as RunRow,
    chat: wireTimes(chat) as ChatRow,
    messages: rowsOf<MessageRow>(messages),
    calls: callsOf(calls),
    interrupts: rowsOf<InterruptRow>(interrupts),
  }
}

export type ChatState = { chat: ChatRow; run: RunRow | null; interrupts: InterruptRow[] }

const state = prepared(
  (_db, chatId: string) => sql<{ chat: Json; run: Json | null; interrupts: Json[] }>`
    select ${chatJson} as chat,
      (select to_jsonb(r) from agent_runs r where r.id = coalesce(c.active_run_id, (
        select id from agent_runs where chat_id = c.id and c.run_count > 1
        order by created_at desc, place desc limit 1))) as run,
      (select coalesce(jsonb_agg(to_jsonb(q) order by q.created_at, q.id), '[]')
        from interrupts q where q.chat_id = c.id and q.status = 'pending') as interrupts
    from chats c where c.id = ${chatId}`,
)

/** A chat with its active run, or with the latest one if the chat was used before, and what it asks people. */
export const findChatState = async (db: Db, chatId: string): Promise<ChatState | undefined> => {
  const [found] = await state(db, chatId)
  return (
    found && {
      chat: wireTimes(found.chat) as ChatRow,
      run: found.run && (wireTimes(found.run) as RunRow),
      interrupts: rowsOf<InterruptRow>(found.interrupts),
    }
  )
}

type Table = 'chats' | 'agent_runs' | 'chat_messages' | 'tool_invocations' | 'interrupts'

/** `once`: columns written only on insert; `again`: columns that a step may change. */
type Written<T extends Table> = {
  once: readonly (keyof Database[T] & string)[]
  again: readonly (keyof Database[T] & string)[]
}

/** Rows as JSON. Every column is named, so that columns added by a newer server get their defaults. */
const upsert = <T extends Table>(table: T, rows: string, { once, again }: Written<T>) => {
  const columns = sql.join([...once, ...again].map((name) => sql.ref(name)))
  const changes = sql.join(again.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`))
  return sql`
  insert into ${sql.table(table)} (${columns})
  select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${rows}::jsonb)
  on conflict (id) do update set ${changes}`
}

const owned = ['id', 'team_id', 'user_id', 'created_at'] as const

const chatColumns: Written<'chats'> = {
  once: [...owned, 'parent_id', 'root_id', 'depth', 'forked_from_message_id'],
  again: [
    ...(['visibility', 'name', 'is_named', 'description', 'agent_id', 'agent_version_id', 'status'] as const),
    ...([
      'active_run_id',
      'last_error',
      'agent_data',
      'output',
      'context',
      'channel_context',
      'remote_id',
      'profile_id',
    ] as const),
    ...(['work_dir', 'harness_session_id', 'project_id', 'next_order', 'event_seq', 'run_count'] as const),
    ...(['updated_at', 'deleted_at'] as const),
  ],
}

const runColumns: Written<'agent_runs'> = {
  once: [
    ...owned,
    ...(['chat_id', 'agent_id', 'agent_version_id', 'tool_invocation_id', 'trigger_id', 'flow_run_id'] as const),
    ...(['task_id', 'run_as', 'started_by', 'started_at', 'remote_id', 'profile_id', 'traceparent', 'place'] as const),
    'model_request',
  ],
  again: [
    ...(['state', 'error', 'output', 'phase', 'turn', 'lost', 'model_task_id', 'message_id', 'injections'] as const),
    ...(['user_message_id', 'metadata', 'event_seq', 'finished_at', 'updated_at'] as const),
  ],
}

const messageColumns: Written<'chat_messages'> = {
  once: [...owned, 'chat_id', 'role', 'sent_as'],
  again: [
    ...(['agent_run_id', 'order', 'status', 'content', 'task_id', 'tools', 'usage'] as const),
    ...(['event_seq', 'updated_at'] as const),
  ],
}

/** Without `explanation`, which is written outside of steps. */
const callColumns: Written<'tool_invocations'> = {
  once: [...owned, 'chat_id', 'run_id', 'chat_message_id', 'call_id', 'position'],
  again: [
    ...(['type', 'name', 'display_name', 'arguments', 'status', 'execution_id', 'result', 'data'] as const),
    ...(['widget', 'token_hash', 'allowed_by', 'used', 'updated_at'] as const),
  ],
}

const interruptColumns: Written<'interrupts'> = {
  once: [...owned, 'run_id', 'chat_id', 'reason', 'source', 'resource_id', 'resource_type', 'expires_at', 'meta'],
  again: ['status', 'resolution', 'resolved_at', 'resolved_by', 'resolved_data', 'updated_at'],
}

const write = posted(
  (_db, chats: string, runs: string, messages: string, calls: string, interrupts: string) => sql`
    with saved_chat as (${upsert('chats', chats, chatColumns)}),
    saved_run as (${upsert('agent_runs', runs, runColumns)}),
    saved_messages as (${upsert('chat_messages', messages, messageColumns)}),
    saved_calls as (${upsert('tool_invocations', calls, callColumns)}),
    saved_interrupts as (${upsert('interrupts', interrupts, interruptColumns)})
    select 1`,
)

export type SavedRows = {
  chat: ChatRow
  run: RunRow | null
  messages: readonly MessageRow[]
  calls: readonly CallRow[]
  interrupts: readonly InterruptRow[]
}

const callJson = ({ token_hash: hash, ...row }: CallRow): Json => ({
  ...row,
  token_hash: hash === null ? null : `\\x${hash.toString('hex')}`,
})

/** Writes everything that a step changed. */
export const writeRows = async (db: Db, { chat, run, messages, calls, interrupts }: SavedRows): Promise<void> => {
  const { team_org_id: _org, ...row } = chat
  await write(
    db,
    JSON.stringify([row]),
    JSON.stringify(run ? [run] : []),
    JSON.stringify(messages),
    JSON.stringify(calls.map(callJson)),
    JSON.stringify(interrupts),
  )
}
