// SQL that writes new tasks: many at once for the queue, or a single one that may go straight to a worker.
import { taskStatus } from '@millrace/contract/task-status'
import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import { rowStamp } from '#platform/db/row-stamp.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import { reservation } from './move-store.ts'
import type { StatusEvent, TaskRow } from './row.ts'

/** The columns that a new task sets, with their types. All other columns have defaults. */
const columnTypes = {
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
  flow_item: 'integer',
  chat_id: 'text',
  agent_id: 'text',
  agent_version_id: 'text',
  traceparent: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const satisfies { readonly [name in keyof Database['tasks']]?: string }

type ColumnName = keyof typeof columnTypes
const columnNames = Object.keys(columnTypes) as ColumnName[]

export type NewTask = Required<Pick<Insertable<Database['tasks']>, ColumnName>> & {
  id: string
  team_id: string
}

/**
 * All properties that decide which worker may run a task, except its workspace. The queue is grouped by this value. The
 * person counts where the engines of the workspace do, because a private one runs the tasks of its owner only.
 */
const queueKind = ({ infra, gpu_count, gpu_type, gpu_vram, ram, session_id, workers, user_id }: NewTask): string =>
  [
    infra,
    gpu_count,
    gpu_type,
    gpu_vram,
    ram,
    session_id === null ? '' : 's',
    `${workers?.length ?? 0}${workers?.[0] ?? ''}`,
    infra === 'cloud' ? '' : user_id,
  ].join('|')

const jsonColumns = new Set(['setup', 'input', 'events', 'metadata', 'run_as'])

/** JSON columns already hold JSON text. Embedding that text avoids parsing and serializing it again. */
const asJson = (task: NewTask): string => {
  const members = columnNames.map((name) => {
    const value = task[name]
    return `"${name}":${jsonColumns.has(name) && typeof value === 'string' ? value : JSON.stringify(value)}`
  })
  return `{${members.join(',')},"queue_kind":${JSON.stringify(queueKind(task))}}`
}

const columns = [...columnNames, 'queue_kind'] as const
const given = sql.join(columns.map((name) => sql.ref(name)))
/**
 * A column list is cheaper than the row type `tasks`, for which the database copies the expressions of all defaults
 * each time.
 */
const asColumns = sql.join(
  columns.map((name) => sql`${sql.ref(name)} ${sql.raw(name === 'queue_kind' ? 'text' : columnTypes[name])}`),
)

/** Any number of rows in one statement. */
export const insertTasks = async (db: Db, tasks: readonly NewTask[]): Promise<void> => {
  await sql`insert into tasks (${given})
    select ${given} from jsonb_to_recordset(${`[${tasks.map(asJson).join(',')}]`}::jsonb) as r (${asColumns})`.execute(
    db,
  )
}

/**
 * Inserts the tasks that represent flow runs, as a part of the statement that writes those runs: a run that ends
 * immediately costs a single round trip. Reads the table `given`, each row of which names a run and its task.
 */
export const representingTasks = sql`
  insert into tasks (id, team_id, user_id, visibility, status, app_id, app_version_id, function, input, output, error,
    events, event_seq, webhook, run_as, priced, sub_flow_run_id, traceparent, queue_kind, created_at, updated_at,
    finished_at)
  select task_id, team_id, user_id, visibility, task_status, app_id, app_version_id, function, input::jsonb,
    output::jsonb, error, task_events, jsonb_array_length(task_events), webhook, run_as, priced, id, traceparent, 'flow', now, now,
    case when task_status >= ${sql.lit(taskStatus.completed)} then now end
  from given where makes_task`

/** A requirement of a task that no connected engine meets. */
export type UnmetRequirement = 'engine' | 'resources'

/**
 * Includes the engine's public key (for sealing secrets) if the task was dispatched by the insert, and otherwise its
 * unmet requirement.
 */
export type InsertedRow = TaskRow & {
  public_key: string | null
  /** Whether the worker serves all workspaces; null if the task was not dispatched. */
  is_shared: boolean | null
  unmet: UnmetRequirement | null
}

const placedValue = (name: string) => {
  if (name === 'status')
    return sql`case when p.worker_id is null then t.status else ${sql.lit(taskStatus.dispatched)} end`
  if (name === 'events') return sql`case when p.worker_id is null then t.events else t.events || t.dispatched end`
  if (name === 'event_seq') return sql`t.event_seq + (p.worker_id is not null)::int`
  return sql.ref(`t.${name}`)
}

export type InsertOptions = {
  /**
   * Set when the task may be dispatched by the insert: to an idle worker that is warm for it, if nothing else is
   * queued.
   */
  dispatched: StatusEvent | null
  /** Set when the app came from the cache: nothing is written if the app has changed since. */
  stamp: string | null
}

export type InsertedTask = InsertOptions & { task: NewTask }

/** SQL fragments of the dispatch feature about a new task `t`. */
export type Placement = {
  /** The query of the table `kinds` (queued tasks by kind) that `best` reads. */
  kinds: RawBuilder<unknown>
  /**
   * The workers it could go to, best first: `worker_id`, `engine_id`, `public_key`, whether the worker is `warm` for the
   * task, serves all workspaces (`is_shared`) and has a GPU (`has_gpu`).
   */
  best: (limit: RawBuilder<unknown>) => RawBuilder<unknown>
  /**
   * How many shared workers its workspace may take now (`has_gpu`, `allowed`), given the other active workspaces by the
   * kind of worker that they need. A kind without a row has no limit.
   */
  limits: (teamId: RawBuilder<unknown>, cpu: RawBuilder<unknown>, gpu: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The requirement that no connected engine meets. */
  unmetRequirementOf: RawBuilder<UnmetRequirement | null>
}

/** Tasks with the same key can be written by one statement, because the same workers suit all of them. */
export const placementKey = (task: NewTask): string => `${task.team_id} ${queueKind(task)} ${task.warm_key}`

/** The other active workspaces, by the kind of worker that their runs need. */
export type OtherWorkspaces = { readonly cpu: readonly string[]; readonly gpu: readonly string[] }

const teamOfGiven = sql`(select team_id from given limit 1)`
const warmPlaces = sql`select * from best where warm`
const limitedPlaces = (limits: RawBuilder<unknown>) => sql`
  select b.* from (
    select best.*, row_number() over (partition by is_shared, has_gpu order by n) as nth from best where warm) b
    left join (${limits}) l on b.is_shared and l.has_gpu = b.has_gpu
  where l.allowed is null or b.nth <= l.allowed`

/**
 * The statement that writes tasks with the same placement key and dispatches them if possible. All or none of them may
 * be dispatched. The result is undefined for a task whose stamp is out of date.
 */
export const newTaskStatement = ({ kinds, best, limits, unmetRequirementOf }: Placement) => {
  const one = sql`(select * from given limit 1)`
  const statementOf = (tasks: string, place: boolean, places: RawBuilder<unknown>) => sql<InsertedRow>`
    with recursive given as materialized (
      select * from jsonb_to_recordset(${tasks}::jsonb) as r (${asColumns}, n integer, stamp text, dispatched jsonb)
      where stamp is null
        or exists (select 1 from apps where apps.id = r.app_id and apps.deleted_at is null and ${rowStamp('apps')} = r.stamp)),
    kinds as (${kinds}),
    best as materialized (
      select b.*, row_number() over () as n
      from ${one} t cross join lateral (${best(sql`(select count(*) from given)`)}) b where ${place}::boolean),
    place as materialized (${places}),
    made as (
      insert into tasks (${given}, attempt, engine_id, worker_id)
      select ${sql.join(columns.map(placedValue))}, (p.worker_id is not null)::int, p.engine_id, p.worker_id
      from given t left join place p on p.n = t.n
      returning ${columnsOf('tasks')}),
    reserved as (
      update workers set ${reservation('made')}, updated_at = made.updated_at from made where workers.id = made.worker_id)
    select made.*, place.public_key, place.is_shared,
      case when place.worker_id is null then (select ${unmetRequirementOf} from ${one} t) end as unmet
    from made left join place on place.worker_id = made.worker_id`
  // A workspace that is alone reads nothing about the others.
  const insertAlone = prepared((_db, tasks: string, place: boolean) => statementOf(tasks, place, warmPlaces))
  const insertAmongOthers = prepared(
    (_db, tasks: string, place: boolean, cpu: readonly string[], gpu: readonly string[]) =>
      statementOf(tasks, place, limitedPlaces(limits(teamOfGiven, sql`${cpu}::text[]`, sql`${gpu}::text[]`))),
  )
  return async (
    db: Db,
    tasks: readonly InsertedTask[],
    { cpu, gpu }: OtherWorkspaces,
  ): Promise<(InsertedRow | undefined)[]> => {
    const place = tasks.every(({ dispatched }) => dispatched !== null)
    const text = `[${tasks.map(asNumberedJson).join(',')}]`
    const isAlone = cpu.length + gpu.length === 0
    const rows = await (isAlone ? insertAlone(db, text, place) : insertAmongOthers(db, text, place, cpu, gpu))
    const byId = new Map(rows.map((row) => [row.id, row]))
    return tasks.map(({ task }) => byId.get(task.id))
  }
}

const asNumberedJson = ({ task, dispatched, stamp }: InsertedTask, index: number): string => {
  const more = JSON.stringify({ n: index + 1, stamp, dispatched: dispatched && [dispatched] })
  return `${asJson(task).slice(0, -1)},${more.slice(1)}`
}
