// Guarantees: an id in a path is a full id, a short id or `not_found`; patterns never reach a query.
import { newId, shortId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '#start/app.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { splitRoute } from '../core/operation.ts'
import { idMatches } from './ids.ts'

let world: World
const taskId = newId()
const engineId = newId()
beforeAll(async () => {
  world = await createWorld()
  const { db } = world.open.platform
  const owner = { team_id: world.team.id, user_id: world.people.owner.userId }
  await db
    .insertInto('tasks')
    .values({ id: taskId, ...owner, visibility: 'public', status: 10 })
    .execute()
  await db
    .insertInto('engines')
    .values({ id: engineId, ...owner, name: 'old' })
    .execute()
})
afterAll(() => world?.close())

const patterns = [
  '%%%%%%%%',
  '________',
  `${taskId.slice(0, 7)}_`,
  `${taskId.slice(0, 7)}%`,
  '\\\\\\\\\\\\\\%',
  'ABCDEFGH',
]
const reads = operations.flatMap(({ routes }) =>
  routes.filter(
    (route) => splitRoute(route).method === 'GET' && /\/:id(\/|$)/.test(route) && !route.includes('stream'),
  ),
)

describe('a path id', () => {
  it.each([null, 'owner'] as const)('that is not an id is not found, for %s', async (as) => {
    const found: string[] = []
    for (const route of reads)
      for (const pattern of patterns) {
        const { status } = await world.call(as, route.replace(/:\w+/g, encodeURIComponent(pattern)))
        if (status < 400 || status >= 500) found.push(`${route} ${pattern}: ${status}`)
      }
    expect(reads.length).toBeGreaterThan(20)
    expect(found).toEqual([])
  })

  it.each([
    ['the full id', taskId],
    ['the short id', shortId(taskId)],
  ])('finds a public task by %s without a credential', async (_, id) => {
    expect((await world.call(null, `GET /tasks/${id}/status`)).status).toBe(200)
  })

  it('finds an engine by its short id', async () => {
    expect((await world.call('owner', `GET /engines/${shortId(engineId)}`)).data.id).toBe(engineId)
  })

  it('is looked up with an index in every table that has short ids', async () => {
    const { db } = world.open.platform
    const plans = await db.transaction().execute(async (db) => {
      await sql`set local enable_seqscan = off`.execute(db)
      const tables = ['tasks', 'engines', 'app_sessions', 'live_sockets', 'api_keys', 'flow_runs', 'files', 'apps']
      return Promise.all(
        tables.map(async (table) => {
          const { rows } = await sql<{ 'QUERY PLAN': string }>`
            explain select 1 from ${sql.table(table)} where ${idMatches(`${table}.id`, 'abcdefgh')}`.execute(db)
          return { table, plan: rows.map((row) => row['QUERY PLAN']).join('\n') }
        }),
      )
    })
    expect(plans.filter(({ plan }) => !plan.includes('short_id'))).toEqual([])
  })
})
