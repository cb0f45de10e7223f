// Guarantees: history is deleted after the workspace's retention time and not before. The task itself stays until the
// operator's retention time for runs is over, or until thirty days after its deletion.
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sweepFlowRuns } from '#automation/flow-runs/retention.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { sweepEnded } from '../app-sessions/service.ts'
import { sweepHistory } from './retention.ts'
import { finish, givenApp, run } from './testing/given.ts'

// A separate world per test, because sessions end sooner than history.
let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const day = 24 * 3600_000

it('a deleted task is purged with its logs after thirty days', async () => {
  const { db } = world.open.platform
  const { id } = await run(world, await givenApp(world))
  await finish(world, id)
  await db.insertInto('task_log_chunks').values({ task_id: id, log_type: 1, content: 'x' }).execute()
  await world.call('owner', `DELETE /tasks/${id}`)
  const left = async () => [
    await db.selectFrom('tasks').select('id').where('id', '=', id).execute(),
    await db.selectFrom('task_log_chunks').select('task_id').where('task_id', '=', id).execute(),
  ]
  world.clock.advance(30 * day - 1_000)
  await sweepHistory(world.open.platform)
  expect(await left()).toEqual([[{ id }], [{ task_id: id }]])
  world.clock.advance(2_000)
  await sweepHistory(world.open.platform)
  expect(await left()).toEqual([[], []])
})

it('logs are deleted after ninety days', async () => {
  const { db } = world.open.platform
  const app = await givenApp(world)
  const [old, live] = [await run(world, app), await run(world, app)]
  for (const { id } of [old, live])
    await db.insertInto('task_log_chunks').values({ task_id: id, log_type: 1, content: 'x' }).execute()
  await finish(world, old.id)
  const logs = async () =>
    (await db.selectFrom('task_log_chunks').select('task_id').execute()).map((row) => row.task_id)
  world.clock.advance(90 * day)
  await sweepHistory(world.open.platform)
  expect(await logs()).toHaveLength(2)
  world.clock.advance(1_000)
  await sweepHistory(world.open.platform)
  expect(await logs()).toEqual([live.id])
  expect((await db.selectFrom('tasks').select('output').where('id', '=', old.id).executeTakeFirst())?.output).toEqual({
    text: 'hi',
  })
})

describe('with a retention of ten days for runs', () => {
  let brief: World
  beforeAll(async () => {
    brief = await createWorld({ settings: { KEEP_RUNS_DAYS: '10' } })
  })
  afterAll(() => brief.close())

  const tenDaysLater = async () => {
    brief.clock.advance(10 * day + 1_000)
    await sweepHistory(brief.open.platform)
    await sweepFlowRuns(brief.open.platform)
    await sweepEnded(brief.open.platform)
  }

  it('finished runs are deleted; featured and unfinished runs stay', async () => {
    const app = await givenApp(brief)
    const [old, featured, live] = [await run(brief, app), await run(brief, app), await run(brief, app)]
    for (const { id } of [old, featured]) await finish(brief, id)
    const { db } = brief.open.platform
    await db.updateTable('tasks').set({ is_featured: true }).where('id', '=', featured.id).execute()
    await tenDaysLater()
    const left = await db.selectFrom('tasks').select('id').execute()
    expect(left.map(({ id }) => id).sort()).toEqual([featured.id, live.id].sort())
  })

  it('flow runs are deleted with their nodes and steps, and ended sessions are deleted too', async () => {
    const { db } = brief.open.platform
    const now = brief.clock.now().toISOString()
    for (const [id, finished] of [
      ['over', now],
      ['live', null],
    ] as const) {
      await sql`insert into flow_runs (id, team_id, user_id, flow_id, flow_version_id, graph_version, task_id, status, input,
          run_as, log_length, finished_at, created_at)
        values (${id}, ${brief.team.id}, ${brief.people.owner.userId}, 'flow', 'version', 1, 'task', 3, '{}', '{}', 1,
          ${finished}::timestamptz, ${now}::timestamptz)`.execute(db)
      await sql`insert into flow_run_nodes (run_id, node_id, status) values (${id}, 'node', 'completed')`.execute(db)
      await sql`insert into flow_run_events (run_id, seq, events, created_at)
        values (${id}, 1, '[]', ${now}::timestamptz)`.execute(db)
      await sql`insert into app_sessions (id, team_id, user_id, app_id, app_version_id, idle_timeout, ended_at)
        values (${id}, ${brief.team.id}, ${brief.people.owner.userId}, 'app', 'version', 60, ${finished}::timestamptz)`.execute(
        db,
      )
    }
    await tenDaysLater()
    for (const [table, column] of [
      ['flow_runs', 'id'],
      ['flow_run_nodes', 'run_id'],
      ['flow_run_events', 'run_id'],
      ['app_sessions', 'id'],
    ] as const) {
      const { rows } = await sql<{ id: string }>`select ${sql.ref(column)} as id from ${sql.table(table)}`.execute(db)
      expect(rows, table).toEqual([{ id: 'live' }])
    }
  })
})
