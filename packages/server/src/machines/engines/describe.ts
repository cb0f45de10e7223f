// An engine as on the wire, with its workers and its rented machine.
import type { Db } from '#platform/db/database.ts'
import { instancesOf } from '../instances/service.ts'
import { engineDto } from './dto.ts'
import type { EngineRow } from './store.ts'
import { workersOf } from './worker-store.ts'

export const describeEngine = async (db: Db, row: EngineRow) =>
  engineDto(row, await workersOf(db, [row.id]), (await instancesOf(db, [row.id])).get(row.id))
