// Guarantees (finding 17): long runs of one workspace never hold all shared workers while another active workspace has
// none, whether the insert or the dispatcher assigns them. A workspace that is alone uses all workers.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy } from '../apps/testing/given.ts'
import { givenApp, run, taskOf } from '../tasks/testing/given.ts'
import { activeMs, createActiveWorkspaces } from './active-workspaces.ts'
import { createLastWorker, mayTakeLast, type SharedUse } from './last-worker.ts'
import type { IdleWorker, QueuedTask } from './matching.ts'

describe('two shared workers', () => {
  let world: World
  let engine: EngineDouble
  let mine: Awaited<ReturnType<typeof givenApp>>
  let theirs: Awaited<ReturnType<typeof deploy>>
  beforeEach(async () => {
    world = await createWorld()
    engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
    mine = await givenApp(world)
    theirs = await deploy(world, 'stranger')
  })
  afterEach(() => world.close())

  const statusOf = async (id: string, as: 'owner' | 'stranger' = 'owner') => (await taskOf(world, id, as)).status

  /** The other workspace runs something and then pauses, beyond the time for which its worker is reserved. */
  const othersRan = async () => {
    await run(world, theirs, {}, 'stranger')
    await serveOne(engine)
    world.clock.advance(activeMs / 2)
  }

  it.each([
    ['cold', false],
    ['warm on both workers', true],
  ])('the second long run waits, and a run of the other workspace starts at once (%s)', async (_case, isWarm) => {
    if (isWarm) {
      await run(world, mine)
      await run(world, mine)
      await serveOne(engine)
      await serveOne(engine)
    }
    await othersRan()
    if (isWarm)
      await world.open.platform.db
        .updateTable('workers')
        .set(await warmFor(mine.id))
        .execute()
    const long = [await run(world, mine), await run(world, mine)]
    const first = await engine.next('task_run')
    expect(first.data.task.id).toBe(long[0]?.id)
    const other = await run(world, theirs, {}, 'stranger')
    expect((await engine.next('task_run')).data.task.id).toBe(other.id)
    expect(await statusOf(long[1]?.id ?? '')).toBe(2)
  })

  /** Both workers as the workspace under test left them. */
  const warmFor = async (appId: string) => {
    const row = await world.open.platform.db
      .selectFrom('tasks')
      .select(['warm_key', 'team_id'])
      .where('app_id', '=', appId)
      .limit(1)
      .executeTakeFirstOrThrow()
    return { warm_apps: [row.warm_key], warm_team_id: row.team_id }
  }

  it('a workspace that is alone uses both', async () => {
    const long = [await run(world, mine), await run(world, mine)]
    const given = [await engine.next('task_run'), await engine.next('task_run')]
    expect(given.map(({ data }) => data.task.id).sort()).toEqual(long.map(({ id }) => id).sort())
  })

  it('both are used when the other workspace has not run anything lately', async () => {
    await othersRan()
    world.clock.advance(activeMs)
    await run(world, mine)
    await run(world, mine)
    await engine.next('task_run')
    await engine.next('task_run')
  })
})

describe('the rule', () => {
  const worker = (over: Partial<IdleWorker> = {}) =>
    ({ infra: 'cloud', active_session_id: null, gpu_count: 0, ...over }) as IdleWorker
  const task = (team_id: string, gpu_count = 0) => ({ team_id, gpu_count }) as QueuedTask
  const idle = (workers: number, has_gpu = false): SharedUse => ({ has_gpu, team_id: null, workers })
  const held = (team_id: string, has_gpu = false): SharedUse => ({ has_gpu, team_id, workers: 1 })
  const activeAre = (...tasks: QueuedTask[]) => {
    const active = createActiveWorkspaces()
    for (const one of tasks) active.ran(one, 0)
    return active
  }
  const both = () => activeAre(task('a'), task('b'))

  it.each<[string, SharedUse[], ReturnType<typeof both>, Partial<IdleWorker>, boolean]>([
    ['the last one, beside a workspace without any', [idle(1), held('a')], both(), {}, false],
    ['the last but one', [idle(2), held('a')], both(), {}, true],
    ['the last one, having none', [idle(1)], both(), {}, true],
    ['the last one, beside a workspace that has one', [idle(1), held('a'), held('b')], both(), {}, true],
    ['the last one, alone', [idle(1), held('a')], activeAre(task('a')), {}, true],
    ['one of its own engine', [idle(1), held('a')], both(), { infra: 'private' }, true],
    ['that of its session', [idle(1), held('a')], both(), { active_session_id: 's' }, true],
    ['the last one with a GPU', [idle(1, true), held('a', true)], both(), { gpu_count: 1 }, true],
    [
      'the last one with a GPU, which the other needs',
      [idle(1, true), held('a', true)],
      activeAre(task('a', 1), task('b', 1)),
      { gpu_count: 1 },
      false,
    ],
  ])('%s', (_claim, uses, active, over, may) => {
    expect(createLastWorker(uses, active, 1).mayTake(task('a'), worker(over))).toBe(may)
  })

  it('counts what the batch takes', () => {
    const rule = createLastWorker([idle(2)], both(), 1)
    rule.matched(task('a'), worker())
    expect(rule.mayTake(task('a'), worker())).toBe(false)
    expect(rule.mayTake(task('b'), worker())).toBe(true)
  })

  it('reads the use of workers only when the last one could be taken from another workspace', () => {
    const others = (teamId: string) => both().others(teamId, 1)
    expect(mayTakeLast([task('a')], [worker()], others)).toBe(true)
    expect(mayTakeLast([task('a')], [worker(), worker()], others)).toBe(false)
    expect(mayTakeLast([task('a')], [worker()], (teamId) => activeAre(task('a')).others(teamId, 1))).toBe(false)
  })

  it('a workspace is active for a minute', () => {
    expect(both().others('a', activeMs - 1)).toEqual({ cpu: ['b'], gpu: [] })
    expect(both().others('a', activeMs)).toEqual({ cpu: [], gpu: [] })
  })
})
