// Several reads of one moment. A statement is consistent by itself; reads that join two statements are not.
import type { Db } from './database.ts'
import { pipelineStatement } from './pipelining.ts'

// Not awaited, like `begin`.
pipelineStatement('start transaction isolation level repeatable read read only')

/** `work` only reads, also through functions that it calls: an access check that writes to the audit log comes after it. */
export const readSnapshot = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  db.isTransaction
    ? work(db)
    : db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
