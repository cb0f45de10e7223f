// SQL of the record that a replay reads.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type RecordedRow = { flow_node_id: string; input: unknown; status: number; output: unknown; error: string }

/** The tasks of a run in the order of their start, without those of loops, whose results the run stores. */
export const findRecordedTasks = async (db: Db, runId: string): Promise<RecordedRow[]> => {
  const { rows } = await sql<RecordedRow>`
    select flow_node_id, input, status, output, error from tasks
    where flow_run_id = ${runId} and flow_node_id is not null and flow_item is null
    order by created_at, id`.execute(db)
  return rows
}

export const sizeOfRecord = async (db: Db, runId: string): Promise<number> => {
  const { rows } = await sql<{ size: number }>`
    select (coalesce(sum(octet_length(input::text)), 0) + coalesce(sum(octet_length(output::text)), 0))::float8 as size
    from tasks where flow_run_id = ${runId} and flow_item is null`.execute(db)
  return rows[0]?.size ?? 0
}

/** The events of nodes in the order of the log, without their contents. */
export const findNodeEvents = async (db: Db, runId: string) => {
  const { rows } = await sql<{ seq: number; node_id: string }>`
    select s.seq + e.position - 1 as seq, e.event ->> 'node_id' as node_id
    from flow_run_events s cross join lateral json_array_elements(s.events) with ordinality as e (event, position)
    where s.run_id = ${runId} and e.event ->> 'node_id' is not null order by seq`.execute(db)
  return rows
}
