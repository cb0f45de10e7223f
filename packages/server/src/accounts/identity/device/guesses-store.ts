// SQL of the windows that count wrong codes, per kind of code and caller.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type GuessKind = 'user_code' | 'claim_code'

/** Refunds a guess; the window may have changed meanwhile. */
export const refundGuess = async (
  db: Db,
  kind: GuessKind,
  callers: readonly string[],
  windowStart: string,
): Promise<void> => {
  await db
    .updateTable('guess_windows')
    .set((update) => ({ misses: update('misses', '-', 1) }))
    .where('kind', '=', kind)
    .where('caller', 'in', callers)
    .where('window_start', '=', windowStart)
    .where('misses', '>', 0)
    .execute()
}

/** False when the window already contains `limit` wrong guesses. */
export const countGuess = async (
  db: Db,
  kind: GuessKind,
  caller: string,
  windowStart: string,
  limit: number,
): Promise<boolean> => {
  const { rows } = await sql`
    insert into guess_windows (kind, caller, window_start, misses)
    values (${kind}, ${caller}, ${windowStart}::timestamptz, 1)
    on conflict (kind, caller) do update set
      misses = case when guess_windows.window_start = excluded.window_start then guess_windows.misses + 1 else 1 end,
      window_start = excluded.window_start
    where guess_windows.window_start <> excluded.window_start or guess_windows.misses < ${limit}
    returning misses`.execute(db)
  return rows.length > 0
}

export const deleteWindowsBefore = async (db: Db, cutoff: string): Promise<void> => {
  await db.deleteFrom('guess_windows').where('window_start', '<', cutoff).execute()
}
