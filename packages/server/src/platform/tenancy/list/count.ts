// The total number of matches of a list: exact up to a limit, to bound its cost; above it the planner's estimate with a
// notice. A long list stays long, so its estimate is reused for a while instead of counting up to the limit each time.
import { createHash } from 'node:crypto'
import type { Notice } from '@millrace/contract/common'
import { type SelectQueryBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/database.ts'
import type { Database } from '../../db/schema.gen.ts'

const exactCountLimit = 10_000
const estimateMs = 10_000
const maxEstimates = 5_000

const estimatesOf = new WeakMap<Db, LRUCache<string, number>>()

const estimatesIn = (db: Db): LRUCache<string, number> => {
  const known = estimatesOf.get(db)
  if (known) return known
  const made = new LRUCache<string, number>({ max: maxEstimates, ttl: estimateMs })
  estimatesOf.set(db, made)
  return made
}

export const countMatches = async <TB extends keyof Database, Row>(
  db: Db,
  matching: SelectQueryBuilder<Database, TB, Row>,
  notice: (notice: Notice) => void,
): Promise<number> => {
  const bare = matching.clearSelect().select(sql<number>`1`.as('one'))
  const counted = db.selectFrom(bare.limit(exactCountLimit + 1).as('matches')).select(sql<number>`count(*)`.as('count'))
  const { sql: text, parameters } = counted.compile()
  // A hash, because values of filters can be long.
  const key = createHash('sha256')
    .update(JSON.stringify([text, parameters]))
    .digest('base64url')
  const estimates = estimatesIn(db)
  const known = estimates.get(key)
  if (known === undefined) {
    const { count } = await counted.limit(1).executeTakeFirstOrThrow()
    if (count <= exactCountLimit) return count
  }
  const total = known ?? (await estimate(bare))
  if (known === undefined) estimates.set(key, total)
  notice({
    level: 'info',
    code: 'total_estimated',
    message: `total_items is an estimate beyond ${exactCountLimit} matches`,
  })
  return total
}

const estimate = async <TB extends keyof Database, Row>(
  bare: SelectQueryBuilder<Database, TB, Row>,
): Promise<number> => {
  const [plan] = (await bare.explain('json')) as unknown as [{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }]
  return Math.max(exactCountLimit + 1, Math.round(plan['QUERY PLAN'][0].Plan['Plan Rows']))
}
