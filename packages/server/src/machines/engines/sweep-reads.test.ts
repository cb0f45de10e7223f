// Guarantees: queries that run every second use an index: their cost does not grow with ended tasks.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenTrigger } from '#automation/triggers/testing/given.ts'
import { expireSessions } from '#execution/app-sessions/service.ts'
import * as queue from '#execution/dispatch/store.ts'
import { forceCancelOverdue } from '#execution/tasks/cancel.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { copyRow } from '../../testing/copy-rows.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { finishDrained } from './control.ts'
import { sweep } from './liveness.ts'
import * as store from './store.ts'

const watched = ['tasks', 'triggers', 'trigger_fires', 'search_documents', 'app_sessions']

let world: World
beforeAll(async () => {
  world = await createWorld()
  const { db } = world.open.platform
  const now = world.clock.now().toISOString()
  const many = (table: keyof Database, id: string, values: object = {}) =>
    copyRow(db, { table, id, count: 5000 }, values)
  const task = await run(world, await givenApp(world), { session: 'new' })
  await many('tasks', task.id, { status: 10, finished_at: now, session_id: null })
  await many('app_sessions', task.session_id ?? '', { status: 'ended', ended_at: now, expires_at: now })
  const trigger = await givenTrigger(world, { type: 'cron', config: { expression: '0 3 * * *' } })
  await many('triggers', trigger.id)
  const fire = await db
    .insertInto('trigger_fires')
    .values({
      id: newId(),
      trigger_id: trigger.id,
      team_id: world.team.id,
      status: 'success',
      kind: 'tick',
      available_at: now,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await many('trigger_fires', fire.id)
  await sql`update search_documents set vector_hash = meaning_hash`.execute(db)
  const document = await db.selectFrom('search_documents').select('id').executeTakeFirstOrThrow()
  await many('search_documents', document.id)
  for (const table of watched) await sql`analyze ${sql.table(table)}`.execute(db)
})
afterAll(() => world?.close())

const looking = (now: string) => ({ now, reservedSince: now, fullTeams: [], size: queue.batchSize }) as const

it.each([
  ['the sweep of engines', (ctx) => sweep(ctx, new Date(0))],
  ['the combined query of all periodic tasks', (ctx) => ctx.periodicTasks.ask(ctx.db)],
  ['overdue cancellations', (ctx) => forceCancelOverdue(ctx)],
  ['expiring sessions', (ctx) => expireSessions(ctx)],
  ['drained engines', (ctx) => finishDrained(ctx)],
  ['queued tasks', (ctx) => queue.findQueue(ctx.db, looking(ctx.now().toISOString()))],
  ['live tasks of an engine', (ctx) => store.liveTasksOf(ctx.db, { engineId: 'none' })],
  ['live tasks of a worker', (ctx) => store.liveTasksOf(ctx.db, { workerIds: ['none'] })],
] as [string, (ctx: ReturnType<typeof createCtx<typeof guest>>) => Promise<unknown>][])('%s', async (_name, look) => {
  const scans = await createCtx(world.open.platform, guest).tx(async (ctx) => {
    // Frequent statements get a generic plan.
    await sql`set local plan_cache_mode = force_generic_plan`.execute(ctx.db)
    const before = await wholeScans(ctx.db)
    await look(ctx)
    const after = await wholeScans(ctx.db)
    return watched.filter((name) => after.get(name) !== before.get(name))
  })
  expect(scans).toEqual([])
})

/** The number of sequential scans of each table by this connection since its last report. */
const wholeScans = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<{ name: string; scans: number }>`
    select name, pg_stat_get_xact_numscans(name::regclass) as scans from unnest(${watched}::text[]) as name`.execute(db)
  return new Map(rows.map(({ name, scans }) => [name, scans]))
}
