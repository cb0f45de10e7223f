// One engine as the wire shows it, with its workers and the machine it rents.
import type { Db } from '#platform/db/database.ts'
import { instancesOf } from '../instances/service.ts'
import { engineDto } from './dto.ts'
import type { EngineRow } from './store.ts'
import { workersOf } from './worker-store.ts'

export const describeEngine = async (db: Db, row: EngineRow) =>
  engineDto(row, await workersOf(db, [row.id]), (await instancesOf(db, [row.id])).get(row.id))
