// Rebuilds the index in operation: every row is refreshed as if it had changed. For changes without triggers, such as a
// restore or manual writes. Also checks whether index and rows agree.
import type { Db } from '#platform/db/database.ts'
import { countDifferences, findSources, refreshAfter } from './reindex-store.ts'

const batchSize = 200

/** Returns the number of rows. Each batch has its own short transaction. */
export const reindex = async (db: Db): Promise<number> => {
  let count = 0
  for (const source of await findSources(db))
    for (let after = ''; ; ) {
      const ids = await refreshAfter(db, source, after, batchSize)
      count += ids.length
      after = ids.at(-1) ?? ''
      if (ids.length < batchSize) break
    }
  return count
}

/** Number of rows that are missing, superfluous or different in the index. */
export const countDisagreements = async (db: Db): Promise<number> => {
  let count = 0
  for (const { source } of await findSources(db)) count += await countDifferences(db, source)
  return count
}
