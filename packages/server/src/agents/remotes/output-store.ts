// SQL of the output and input of commands.
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type ChunkRow = Selectable<Database['exec_chunks']>
export type NewChunk = { seq: number; stream: string; data: Buffer }
export type RunOfConnection = { id: string; remoteId: string; connection: number }

/** The minimum cost of a row, for small chunks. */
const minChunkCost = 256

export type StoredOutput = { last_seq: number; output_cost: number; dropped_cost: number }

/**
 * All chunks are sent as one binary value, because a list of values would be encoded as hexadecimal, with three times
 * the memory. Appends new chunks once and skips those that are stored or were discarded. Undefined if the command is
 * not running, or not on this connection.
 */
export const storeChunks = async (
  db: Db,
  run: RunOfConnection,
  chunks: readonly NewChunk[],
  now: string,
): Promise<StoredOutput | undefined> => {
  const { rows } = await sql<StoredOutput>`
    with run as (
      select e.* from exec_runs e join remotes r on r.id = e.remote_id
      where e.id = ${run.id} and e.remote_id = ${run.remoteId} and e.status = 'running'
        and r.connection_number = ${run.connection}
      for update of e),
    sent as (
      select distinct on (c.seq) c.seq, c.stream, c.size,
        substring(whole.data from (c.ends_at - c.size + 1)::int for c.size) as data
      from (select ${Buffer.concat(chunks.map(({ data }) => data))}::bytea as data) whole, (
        select *, sum(size) over (order by place) as ends_at
        from unnest(${chunks.map(({ seq }) => seq)}::bigint[], ${chunks.map(({ stream }) => stream)}::text[],
          ${chunks.map(({ data }) => data.length)}::int[]) with ordinality as s (seq, stream, size, place)) c
      order by c.seq, c.place),
    placed as (
      select run.id, sent.seq, sent.stream, sent.data,
        run.output_bytes + sum(sent.size) over (order by sent.seq) - sent.size as starts_at,
        run.output_cost + sum(greatest(sent.size, ${minChunkCost})) over (order by sent.seq) as cost_to
      from sent cross join run
      where not (sent.seq > coalesce(run.dropped_after_seq, sent.seq) and sent.seq <= run.dropped_to_seq)
        and not exists (select from exec_chunks have where have.exec_run_id = run.id and have.seq = sent.seq)),
    added as (
      insert into exec_chunks (exec_run_id, seq, stream, data, starts_at, cost_to, created_at)
      select id, seq, stream, data, starts_at, cost_to, ${now}::timestamptz from placed
      on conflict do nothing
      returning seq, octet_length(data) as size),
    sums as (
      select coalesce(max(seq), 0) as last_seq, coalesce(sum(size), 0) as bytes,
        coalesce(sum(greatest(size, ${minChunkCost})), 0) as cost from added)
    update exec_runs e set last_seq = greatest(e.last_seq, sums.last_seq), output_bytes = e.output_bytes + sums.bytes,
      output_cost = e.output_cost + sums.cost, updated_at = ${now}::timestamptz
    from run, sums where e.id = run.id
    returning e.last_seq, e.output_cost, e.dropped_cost`.execute(db)
  return rows[0]
}

/** Retains output up to `headCost` at the beginning, and from `tailFromCost` on. */
export const dropMiddle = async (
  db: Db,
  runId: string,
  { headCost, tailFromCost }: { headCost: number; tailFromCost: number },
): Promise<void> => {
  await sql`
    with gone as (
      delete from exec_chunks c using exec_runs e
      where e.id = ${runId} and c.exec_run_id = e.id and c.seq > coalesce(e.dropped_to_seq, 0)
        and c.cost_to > ${headCost} and c.cost_to <= ${tailFromCost}
      returning c.seq, octet_length(c.data) as size)
    update exec_runs set dropped_bytes = dropped_bytes + sums.bytes, dropped_cost = dropped_cost + sums.cost,
      dropped_after_seq = coalesce(dropped_after_seq, sums.first - 1), dropped_to_seq = sums.last
    from (select sum(size) as bytes, sum(greatest(size, ${minChunkCost})) as cost, min(seq) as first, max(seq) as last
      from gone having count(*) > 0) sums
    where id = ${runId}`.execute(db)
}

/** The size of the stored output of a workspace's commands. */
export const storedCost = async (db: Db, teamId: string): Promise<number> => {
  const { rows } = await sql<{ kept: string }>`
    select coalesce(sum(output_cost - dropped_cost), 0) as kept from exec_runs where team_id = ${teamId}`.execute(db)
  return Number(rows[0]?.kept ?? 0)
}

export const fullTeams = async (db: Db, limit: number): Promise<{ team_id: string }[]> => {
  const { rows } = await sql<{ team_id: string }>`
    select team_id from exec_runs group by team_id having sum(output_cost - dropped_cost) > ${limit}`.execute(db)
  return rows
}

/** Deletes the output of the workspace's oldest finished commands until `excess` is freed; the commands remain. */
export const dropOldest = async (db: Db, teamId: string, excess: number): Promise<number> => {
  const { rows } = await sql`
    with oldest as (
      select id from (
        select id, sum(output_cost - dropped_cost) over (order by ended_at, id) - (output_cost - dropped_cost) as before
        from exec_runs where team_id = ${teamId} and ended_at is not null and output_cost > dropped_cost) ended
      where before < ${excess} limit 50),
    gone as (delete from exec_chunks where exec_run_id in (select id from oldest))
    update exec_runs set dropped_bytes = output_bytes, dropped_cost = output_cost, dropped_after_seq = 0,
      dropped_to_seq = last_seq
    where id in (select id from oldest) returning id`.execute(db)
  return rows.length
}

export type ReadBounds = { afterSeq: number; chunks: number; bytes: number }

/** In order, up to the size limit, but at least one. */
export const readChunks = async (
  db: Db,
  runId: string,
  { afterSeq, chunks, bytes }: ReadBounds,
): Promise<ChunkRow[]> => {
  const { rows } = await sql<ChunkRow>`
    select exec_run_id, seq, stream, data, starts_at, cost_to, created_at from (
      select *, sum(octet_length(data)) over (order by seq) - octet_length(data) as before from exec_chunks
      where exec_run_id = ${runId} and seq > ${afterSeq} order by seq limit ${chunks}) held
    where before < ${bytes} order by seq`.execute(db)
  return rows
}

/** The end of a command's output, in order, up to `bytes`, in whole chunks. */
export const readLastChunks = async (db: Db, runId: string, bytes: number): Promise<ChunkRow[]> => {
  const { rows } = await sql<ChunkRow>`
    select exec_run_id, seq, stream, data, starts_at, cost_to, created_at from (
      select *, sum(octet_length(data)) over (order by seq desc) - octet_length(data) as after from exec_chunks
      where exec_run_id = ${runId}
      order by seq desc limit 2000) held
    where after < ${bytes} order by seq`.execute(db)
  return rows
}

/** The position of the input; undefined if the command does not accept input or has too much unread input. */
export const addInput = async (
  db: Db,
  runId: string,
  { data, eof }: { data: Buffer; eof: boolean },
  unreadLimit: number,
): Promise<number | undefined> => {
  const { rows } = await sql<{ seq: number }>`
    with next as (
      update exec_runs set input_seq = input_seq + 1, updated_at = now()
      where id = ${runId} and status in ('pending', 'running') and (stdin or pty)
        and (select coalesce(sum(greatest(octet_length(data), ${minChunkCost})), 0) from exec_inputs where exec_run_id = ${runId}) < ${unreadLimit}
      returning input_seq)
    insert into exec_inputs (exec_run_id, seq, data, eof)
    select ${runId}, input_seq, ${data}::bytea, ${eof}::boolean from next returning seq`.execute(db)
  return rows[0]?.seq
}

export const readInputs = (db: Db, runId: string, afterSeq: number) =>
  db
    .selectFrom('exec_inputs')
    .select(['seq', 'data', 'eof'])
    .where('exec_run_id', '=', runId)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(100)
    .execute()

export const deleteInputs = async (db: Db, run: RunOfConnection, toSeq: number): Promise<void> => {
  await sql`
    with known as (
      update exec_runs set input_acked = greatest(input_acked, least(${toSeq}::bigint, input_seq))
      where id = ${run.id} and remote_id = ${run.remoteId} returning id)
    delete from exec_inputs where exec_run_id in (select id from known) and seq <= ${toSeq}`.execute(db)
}
