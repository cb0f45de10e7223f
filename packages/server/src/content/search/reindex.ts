// Makes the index anew while everything goes on: each row is refreshed as if it had changed. For what no trigger saw, such
// as rows that were restored or written around the server; and a check whether index and rows agree.
import type { Db } from '#platform/db/database.ts'
import { countDifferences, findSources, refreshAfter } from './reindex-store.ts'

const batchSize = 200

/** How many rows were looked at. Each batch is a transaction of its own: nobody waits long. */
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

/** Rows that the index shows otherwise than they are, lacks, or has too many. */
export const countDisagreements = async (db: Db): Promise<number> => {
  let count = 0
  for (const { source } of await findSources(db)) count += await countDifferences(db, source)
  return count
}
