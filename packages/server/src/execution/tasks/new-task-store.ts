// SQL that writes new tasks: many at once for the queue, or one that may go straight to a worker.
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import { rowStamp } from '#platform/db/row-stamp.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { reservation } from './move-store.ts'
import type { StatusEvent, TaskRow } from './row.ts'

/** What is given when a task is made, and how the database reads it; everything else has a default. */
const givenTypes = {
  id: 'text',
  team_id: 'text',
  user_id: 'text',
  visibility: 'text',
  status: 'smallint',
  app_id: 'text',
  app_version_id: 'text',
  app_variant: 'text',
  function: 'text',
  is_stream: 'boolean',
  infra: 'text',
  workers: 'text[]',
  setup: 'jsonb',
  input: 'jsonb',
  events: 'jsonb',
  event_seq: 'bigint',
  session_id: 'text',
  session_timeout: 'integer',
  run_at: 'timestamptz',
  available_at: 'timestamptz',
  webhook: 'text',
  metadata: 'jsonb',
  warm_key: 'text',
  gpu_count: 'integer',
  gpu_type: 'text',
  gpu_vram: 'bigint',
  ram: 'bigint',
  run_as: 'jsonb',
  priced: 'boolean',
  graph_id: 'text',
  flow_run_id: 'text',
  flow_node_id: 'text',
  chat_id: 'text',
  agent_id: 'text',
  agent_version_id: 'text',
  traceparent: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies { readonly [name in keyof Database['tasks']]?: string }

type GivenName = keyof typeof givenTypes
const givenNames = Object.keys(givenTypes) as GivenName[]

export type NewTask = Required<Pick<Insertable<Database['tasks']>, GivenName>> & {
  id: string
  team_id: string
}

/** Everything that decides who may take a task, except its workspace: the queue is looked at by it. */
const queueKind = ({ infra, gpu_count, gpu_type, gpu_vram, ram, session_id, workers }: NewTask): string =>
  [
    infra,
    gpu_count,
    gpu_type,
    gpu_vram,
    ram,
    session_id === null ? '' : 's',
    `${workers?.length ?? 0}${workers?.[0] ?? ''}`,
  ].join('|')

const jsonColumns = new Set(['setup', 'input', 'events', 'metadata', 'run_as'])

/** JSON columns hold JSON text already; written as it is, it is not parsed here to be written again. */
const asJson = (task: NewTask): string => {
  const members = givenNames.map((name) => {
    const value = task[name]
    return `"${name}":${jsonColumns.has(name) && typeof value === 'string' ? value : JSON.stringify(value)}`
  })
  return `{${members.join(',')},"queue_kind":${JSON.stringify(queueKind(task))}}`
}

const columns = [...givenNames, 'queue_kind'] as const
const given = sql.join(columns.map((name) => sql.ref(name)))
/** Named one by one: as a row of `tasks`, the database would copy the text of all its defaults each time. */
const asColumns = sql.join(
  columns.map((name) => sql`${sql.ref(name)} ${sql.raw(name === 'queue_kind' ? 'text' : givenTypes[name])}`),
)

/** Rows of any number, by one statement. */
export const insertTasks = async (db: Db, tasks: readonly NewTask[]): Promise<void> => {
  await sql`insert into tasks (${given})
    select ${given} from jsonb_to_recordset(${`[${tasks.map(asJson).join(',')}]`}::jsonb) as r (${asColumns})`.execute(
    db,
  )
}

/**
 * The tasks that stand for flow runs, as a part of the statement that writes those runs: a run that is over at once costs a
 * single round trip. Reads the table `given`, which names a run and its task in each row.
 */
export const standingTasks = sql`
  insert into tasks (id, team_id, user_id, visibility, status, app_id, app_version_id, function, input, output, error,
    events, event_seq, webhook, run_as, sub_flow_run_id, traceparent, queue_kind, created_at, updated_at, finished_at)
  select task_id, team_id, user_id, visibility, task_status, app_id, app_version_id, function, input::jsonb,
    output::jsonb, error, task_events, jsonb_array_length(task_events), webhook, run_as, id, traceparent, 'flow', now, now,
    case when task_status >= ${sql.lit(taskStatus.completed)} then now end
  from given where makes_task`

/** What nothing that is connected has, though a task needs it. */
export type Lack = 'engine' | 'resources'

/** With the key that secrets are sealed to, when the task has been given to an engine already, or what it waits for in vain. */
export type InsertedRow = TaskRow & { public_key: string | null; lack: Lack | null }

const placedValue = (event: string) => (name: string) => {
  if (name === 'status')
    return sql`case when p.worker_id is null then t.status else ${sql.lit(taskStatus.dispatched)} end`
  if (name === 'events') return sql`case when p.worker_id is null then t.events else t.events || ${event}::jsonb end`
  if (name === 'event_seq') return sql`t.event_seq + (p.worker_id is not null)::int`
  return sql.ref(`t.${name}`)
}

export type Placing = {
  /** Given when the task may go to a worker at once: one that is set up for exactly this and idle, if nothing else waits. */
  dispatched: StatusEvent | null
  /** Given when the app was remembered: nothing is written if it has changed since. */
  stamp: string | null
}

/** What dispatch says about a task `t` that is just being made. */
export type Placement = {
  /** What waits, by kinds: the table `kinds` that `best` looks at. */
  kinds: RawBuilder<unknown>
  /** The worker it would go to: `worker_id`, `engine_id`, `public_key`, and whether that one is `warm` for it. */
  best: RawBuilder<unknown>
  /** What it would wait for in vain. */
  lackOf: RawBuilder<Lack | null>
}

/** The statement that writes a task and gives it to a worker at once where it may. Undefined: the stamp is out of date. */
export const newTaskStatement = ({ kinds, best, lackOf }: Placement) => {
  const insertPlaced = prepared(
    (_db, task: string, place: boolean, event: string, stamp: string | null) => sql<InsertedRow>`
    with recursive t as materialized (
      select * from jsonb_to_record(${task}::jsonb) as r (${asColumns})
      where ${stamp}::text is null
        or exists (select 1 from apps where apps.id = r.app_id and apps.deleted_at is null and ${rowStamp('apps')} = ${stamp}::text)),
    kinds as (${kinds}),
    best as materialized (select * from (${best}) b where ${place}::boolean),
    place as materialized (select * from best where warm),
    made as (
      insert into tasks (${given}, attempt, engine_id, worker_id)
      select ${sql.join(columns.map(placedValue(event)))}, (p.worker_id is not null)::int, p.engine_id, p.worker_id
      from t left join place p on true
      returning ${columnsOf('tasks')}),
    reserved as (
      update workers set ${reservation('made')}, updated_at = made.updated_at from made where workers.id = made.worker_id)
    select made.*, place.public_key, case when place.worker_id is null then (select ${lackOf} from t) end as lack
    from made left join place on true`,
  )
  return async (db: Db, task: NewTask, { dispatched, stamp }: Placing): Promise<InsertedRow | undefined> => {
    const events = JSON.stringify(dispatched ? [dispatched] : [])
    const [row] = await insertPlaced(db, asJson(task), dispatched !== null, events, stamp)
    return row
  }
}
