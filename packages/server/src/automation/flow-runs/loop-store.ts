// SQL of loops: rows exist for items that are open or still to start, not for finished ones.
import { sql } from 'kysely'
import { statusCode } from '#execution/tasks/service.ts'
import type { Db } from '#platform/db/database.ts'

const chunkSize = 100

export type LoopRow = {
  total: number
  next_item: number
  open: number
  done: number
  failed: number
  input: Record<string, unknown> | null
}

type LoopKey = { runId: string; nodeId: string }

export const insertLoop = async (
  db: Db,
  { runId, nodeId }: LoopKey,
  items: readonly unknown[],
  input: Record<string, unknown>,
): Promise<void> => {
  const chunks = Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, index) => ({
    first_item: index * chunkSize,
    items: items.slice(index * chunkSize, (index + 1) * chunkSize),
  }))
  await sql`
    with chunks as (
      insert into flow_run_loop_chunks (run_id, node_id, first_item, items)
      select ${runId}, ${nodeId}, first_item, items
      from json_to_recordset(${JSON.stringify(chunks)}::json) as c (first_item integer, items json))
    insert into flow_run_loops (run_id, node_id, total, next_item, open, done, failed, input)
    values (${runId}, ${nodeId}, ${items.length}, 0, 0, 0, 0, ${JSON.stringify(input)}::json)`.execute(db)
}

/** The loop if it has not ended. */
export const findLiveLoop = async (db: Db, { runId, nodeId }: LoopKey): Promise<LoopRow | undefined> => {
  const { rows } = await sql<LoopRow>`
    select total, next_item, open, done, failed, input from flow_run_loops
    where run_id = ${runId} and node_id = ${nodeId} and input is not null`.execute(db)
  return rows[0]
}

export const saveLoop = async (db: Db, { runId, nodeId }: LoopKey, loop: LoopRow): Promise<void> => {
  await sql`
    update flow_run_loops set next_item = ${loop.next_item}, open = ${loop.open}, done = ${loop.done}, failed = ${loop.failed}
    where run_id = ${runId} and node_id = ${nodeId}`.execute(db)
}

/** Items from `first`, and deletes the chunks that are then used up. */
export const takeItems = async (
  db: Db,
  { runId, nodeId }: LoopKey,
  first: number,
  count: number,
): Promise<unknown[]> => {
  const { rows } = await sql<{ value: unknown }>`
    with found as materialized (
      select c.first_item + e.position - 1 as item, e.value
      from flow_run_loop_chunks c cross join lateral json_array_elements(c.items) with ordinality as e (value, position)
      where c.run_id = ${runId} and c.node_id = ${nodeId}
        and c.first_item > ${first}::int - ${chunkSize}::int and c.first_item < ${first + count}::int),
    used as (
      delete from flow_run_loop_chunks
      where run_id = ${runId} and node_id = ${nodeId} and first_item + ${chunkSize}::int <= ${first + count}::int)
    select value from found where item >= ${first}::int and item < ${first + count}::int order by item`.execute(db)
  return rows.map(({ value }) => value)
}

export type OpenItem = { item: number; attempt: number; task_id: string; value: unknown; deadline_ms: number | null }

/** New items, or the next attempts of items that wait for it. */
export const openItems = async (db: Db, { runId, nodeId }: LoopKey, items: readonly OpenItem[]): Promise<void> => {
  await sql`
    insert into flow_run_items (run_id, node_id, item, status, attempt, task_id, value, deadline_ms)
    select ${runId}, ${nodeId}, item, 'running', attempt, task_id, value, deadline_ms
    from json_to_recordset(${JSON.stringify(items)}::json) as i (item integer, attempt integer, task_id text, value json,
      deadline_ms double precision)
    on conflict (run_id, node_id, item) do update set status = 'running', attempt = excluded.attempt,
      task_id = excluded.task_id, deadline_ms = excluded.deadline_ms, retry_at_ms = null`.execute(db)
}

export type ItemRow = { item: number; status: string; attempt: number; task_id: string | null; value: unknown } & {
  deadline_ms: number | null
  retry_at_ms: number | null
}

export const findItem = async (db: Db, { runId, nodeId }: LoopKey, item: number): Promise<ItemRow | undefined> => {
  const { rows } = await sql<ItemRow>`
    select item, status, attempt, task_id, value, deadline_ms, retry_at_ms from flow_run_items
    where run_id = ${runId} and node_id = ${nodeId} and item = ${item}::int`.execute(db)
  return rows[0]
}

export const deleteItem = async (db: Db, { runId, nodeId }: LoopKey, item: number): Promise<void> => {
  await sql`
    delete from flow_run_items where run_id = ${runId} and node_id = ${nodeId} and item = ${item}::int`.execute(db)
}

export const delayItem = async (db: Db, { runId, nodeId }: LoopKey, item: number, retryAtMs: number): Promise<void> => {
  await sql`
    update flow_run_items set status = 'ready', task_id = null, deadline_ms = null, retry_at_ms = ${retryAtMs}
    where run_id = ${runId} and node_id = ${nodeId} and item = ${item}::int`.execute(db)
}

export const failItem = async (
  db: Db,
  { runId, nodeId }: LoopKey,
  item: number,
  { error, code }: { error: string; code: string },
): Promise<void> => {
  await sql`
    update flow_run_items set status = 'failed', task_id = null, value = null, deadline_ms = null, error = ${error}, code = ${code}
    where run_id = ${runId} and node_id = ${nodeId} and item = ${item}::int`.execute(db)
}

export type FailedItem = { item: number; error: string; code: string }

export const findFailedItems = async (db: Db, { runId, nodeId }: LoopKey): Promise<FailedItem[]> => {
  const { rows } = await sql<FailedItem>`
    select item, error, code from flow_run_items
    where run_id = ${runId} and node_id = ${nodeId} and status = 'failed'`.execute(db)
  return rows
}

/** Size of the results of finished items, before they are read. */
export const sizeOfOutputs = async (db: Db, { runId, nodeId }: LoopKey): Promise<number> => {
  const { rows } = await sql<{ size: number }>`
    select coalesce(sum(octet_length(output::text)), 0)::float8 as size from tasks
    where flow_run_id = ${runId} and flow_node_id = ${nodeId} and status = ${statusCode('completed')}
      and flow_item is not null`.execute(db)
  return rows[0]?.size ?? 0
}

/** The results of finished items; the latest task of an item counts. */
export const findOutputs = async (db: Db, { runId, nodeId }: LoopKey) => {
  const { rows } = await sql<{ item: number; output: unknown }>`
    select distinct on (flow_item) flow_item as item, output from tasks
    where flow_run_id = ${runId} and flow_node_id = ${nodeId} and status = ${statusCode('completed')}
      and flow_item is not null
    order by flow_item, created_at desc, id desc`.execute(db)
  return rows
}

/** Ends loops: their progress remains. Without a node, all loops of the run. */
export const endLoops = async (db: Db, runId: string, nodeId?: string): Promise<void> => {
  const isConcerned = sql`run_id = ${runId} and (${nodeId ?? null}::text is null or node_id = ${nodeId ?? null}::text)`
  await sql`
    with chunks as (delete from flow_run_loop_chunks where ${isConcerned}),
    items as (delete from flow_run_items where ${isConcerned})
    update flow_run_loops set input = null, open = 0 where ${isConcerned}`.execute(db)
}

export type ShownLoop = { node_id: string; total: number; open: number; done: number; failed: number }

export const findLoops = async (db: Db, runId: string): Promise<ShownLoop[]> => {
  const { rows } = await sql<ShownLoop>`
    select node_id, total, open, done, failed from flow_run_loops where run_id = ${runId}`.execute(db)
  return rows
}

/** Loops that have not ended, and their open items with the state of their tasks, for the sweep. */
export const findLiveNodes = async (db: Db, runId: string): Promise<string[]> => {
  const { rows } = await sql<{ node_id: string }>`
    select node_id from flow_run_loops where run_id = ${runId} and input is not null`.execute(db)
  return rows.map(({ node_id }) => node_id)
}

export const findOpenItems = async (db: Db, { runId, nodeId }: LoopKey) => {
  const { rows } = await sql<{
    item: number
    task_id: string | null
    item_status: string
    status: number | null
    output: unknown
    error: string
  }>`
    select i.item, i.task_id, i.status as item_status, t.status, t.output, coalesce(t.error, '') as error
    from flow_run_items i left join tasks t on t.id = i.task_id
    where i.run_id = ${runId} and i.node_id = ${nodeId} and i.status <> 'failed'`.execute(db)
  return rows
}
