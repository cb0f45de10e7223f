// SQL of interrupts: the questions of a run to people, and the answers.
import { type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type InterruptRow = Selectable<Database['interrupts']>

export const findInterrupt = async (db: Db, id: string): Promise<InterruptRow | undefined> => {
  const rows = await db.selectFrom('interrupts').selectAll().where(idMatches('id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findPendingInterrupts = (db: Db, chatIds: readonly string[]): Promise<InterruptRow[]> =>
  chatIds.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('interrupts')
        .selectAll()
        .where('chat_id', 'in', [...chatIds])
        .where('status', '=', 'pending')
        .orderBy('created_at')
        .orderBy('id')
        .execute()

export const findPendingOfRun = (db: Db, runId: string): Promise<InterruptRow[]> =>
  db
    .selectFrom('interrupts')
    .selectAll()
    .where('run_id', '=', runId)
    .where('status', '=', 'pending')
    .orderBy('created_at')
    .orderBy('id')
    .execute()

/** Interrupts are read in this order. */
export type InterruptPlace = Pick<InterruptRow, 'created_at' | 'id'>

/** Open interrupts that wait for a connection which this person or workspace may just have created, oldest first. */
export const findAuthInterrupts = (
  db: Db,
  { teamId, providers, after }: { teamId: string; providers: readonly string[]; after: InterruptPlace | null },
  limit: number,
): Promise<InterruptRow[]> =>
  db
    .selectFrom('interrupts')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('status', '=', 'pending')
    .where('reason', '=', 'auth')
    .where(sql<boolean>`meta ->> 'provider' = any(${[...providers]}::text[])`)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(created_at, id) > (${after?.created_at}::timestamptz, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
