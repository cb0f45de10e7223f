// Guards: what looks at tasks once a second finds them by an index: its cost does not grow with the tasks that have ended.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expireSessions } from '../app-sessions/service.ts'
import { guest } from '../core/actor.ts'
import { createCtx } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import * as queue from '../dispatch/store.ts'
import { forceCancelOverdue } from '../tasks/cancel.ts'
import { copyTask, givenApp, run } from '../tasks/testing/given.ts'
import { createWorld, type World } from '../testing/world.ts'
import { finishDrained } from './control.ts'
import { sweep } from './liveness.ts'
import * as store from './store.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  const { id } = await run(world, await givenApp(world))
  const { db } = world.open.platform
  await copyTask(db, id, 5000, { status: 10, finished_at: world.clock.now().toISOString() })
  await sql`analyze tasks`.execute(db)
})
afterAll(() => world?.close())

it.each([
  ['the sweep over engines', (ctx) => sweep(ctx, new Date(0))],
  ['what the rounds ask for every room', (ctx) => ctx.rounds.ask(ctx.db)],
  ['cancels that are overdue', (ctx) => forceCancelOverdue(ctx)],
  ['sessions that end', (ctx) => expireSessions(ctx)],
  ['engines that have drained', (ctx) => finishDrained(ctx)],
  ['whether anything waits', (ctx) => queue.isAnythingWaiting(ctx.db, ctx.now().toISOString())],
  ['what waits for a worker', (ctx) => queue.findQueuedTasks(ctx.db, ctx.now().toISOString(), [])],
  ['what an engine still has', (ctx) => store.liveTasksOf(ctx.db, { engineId: 'none' })],
  ['what a worker still has', (ctx) => store.liveTasksOf(ctx.db, { workerIds: ['none'] })],
] as [string, (ctx: ReturnType<typeof createCtx<typeof guest>>) => Promise<unknown>][])('%s', async (_name, look) => {
  const scans = await createCtx(world.open.platform, guest).tx(async (ctx) => {
    // A statement that is asked often is planned once, without its values.
    await sql`set local plan_cache_mode = force_generic_plan`.execute(ctx.db)
    const before = await wholeScans(ctx.db)
    await look(ctx)
    return (await wholeScans(ctx.db)) - before
  })
  expect(scans).toBe(0)
})

/** How often this connection has read the whole table since it last reported. */
const wholeScans = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ scans: number }>`
    select pg_stat_get_xact_numscans('tasks'::regclass) as scans`.execute(db)
  return rows[0]?.scans ?? Number.NaN
}
