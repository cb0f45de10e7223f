// Guarantees: one statement checks all periodic tasks; only due ones run, never concurrently with themselves, and none
// blocks another.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { createPeriodicTasks, type PeriodicTask, type PeriodicTasks } from './periodic-tasks.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const original = pg.Client.prototype.query
const logged: { task?: string; msg: string }[] = []
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  logged.length = 0
})

const givenTasks = (): PeriodicTasks => {
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const { db, now } = world.open.platform
  return createPeriodicTasks({ db, log, now }, 50)
}

const add = (tasks: PeriodicTasks, ...list: readonly PeriodicTask[]): void => void stops.push(tasks.add(...list))

const periodicTask = (
  name: string,
  due: boolean | string,
  more: Partial<PeriodicTask> = {},
): PeriodicTask & { worked: () => number } => {
  let worked = 0
  return {
    name,
    due: () => [typeof due === 'string' ? sql.raw(due) : sql`select 1 where ${due}`],
    work: async () => {
      worked += 1
    },
    ...more,
    worked: () => worked,
  }
}

it('runs only due tasks', async () => {
  const [due, not] = [periodicTask('due', true), periodicTask('not', false)]
  add(givenTasks(), not, due)
  await expect.poll(() => due.worked()).toBeGreaterThan(0)
  expect(not.worked()).toBe(0)
})

it('checks each task with its own values at the current time', async () => {
  const heard: string[] = []
  const about = (name: string, values: string[]): PeriodicTask => ({
    ...periodicTask(name, true, { work: async () => void heard.push(name) }),
    values: () => values,
    due: (_db, ...given) => [sql`select 1 where ${given[0] ?? 'b'}::text = 'b' and ${given[1] ?? 'c'}::text = 'c'`],
  })
  const timed: PeriodicTask = {
    ...periodicTask('timed', true, { work: async () => void heard.push('timed') }),
    due: (_db, now) => [sql`select 1 where ${now}::timestamptz = ${world.clock.now().toISOString()}::timestamptz`],
  }
  add(givenTasks(), about('wrong', ['a', 'c']), about('right', ['b', 'c']), about('none', []), timed)
  await expect.poll(() => new Set(heard)).toEqual(new Set(['right', 'none', 'timed']))
  expect(heard).not.toContain('wrong')
})

it('is due if one of several queries returns a row', async () => {
  const several = periodicTask('several', true, { due: () => [sql`select 1 where false`, sql`select 1`] })
  add(givenTasks(), several)
  await expect.poll(() => several.worked()).toBeGreaterThan(0)
})

it('never runs a task concurrently with itself, and a slow one does not delay others', async () => {
  let atOnce = 0
  let most = 0
  const ended = Promise.withResolvers<void>()
  const slow = periodicTask('slow', true, {
    work: async () => {
      most = Math.max(most, ++atOnce)
      await ended.promise
      atOnce -= 1
    },
  })
  const other = periodicTask('other', true)
  const tasks = givenTasks()
  const stop = tasks.add(slow, other)
  await expect.poll(() => other.worked()).toBeGreaterThan(2)
  expect(most).toBe(1)
  let isStopped = false
  const stopping = stop().then(() => {
    isStopped = true
  })
  await sleep(50)
  expect(isStopped).toBe(false)
  ended.resolve()
  await stopping
  expect(atOnce).toBe(0)
})

it('respects the interval of a task', async () => {
  const [rare, often] = [periodicTask('rare', true, { everyMs: 3_600_000 }), periodicTask('often', true)]
  add(givenTasks(), rare, often)
  await expect.poll(() => often.worked()).toBeGreaterThan(2)
  expect(rare.worked()).toBe(1)
})

it('a failing query stops only its own task, and the log names it', async () => {
  const [broken, sound] = [periodicTask('broken', 'select nothing from nowhere'), periodicTask('sound', true)]
  add(givenTasks(), broken, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(0)
  expect(broken.worked()).toBe(0)
  expect(logged.every(({ task }) => task === 'broken')).toBe(true)
  expect(logged.length).toBeGreaterThan(0)
})

it('a hanging query does not block other tasks', async () => {
  const { db } = world.open.platform
  await sql`create table if not exists held (id int)`.execute(db)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (trx) => {
    await sql`lock table held in access exclusive mode`.execute(trx)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const [broken, stuck, sound] = [
    periodicTask('broken', 'select nothing from nowhere'),
    periodicTask('stuck', 'select 1 from held'),
    periodicTask('sound', true),
  ]
  // The failing query causes separate checks after the first poll.
  add(givenTasks(), broken, stuck, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(3)
  expect(stuck.worked()).toBe(0)
  held.resolve()
  await holding
  await sql`insert into held values (1)`.execute(db)
  await expect.poll(() => stuck.worked()).toBeGreaterThan(0)
})

it('a task runs again once its query succeeds', async () => {
  const { db } = world.open.platform
  const late = periodicTask('late', 'select 1 from not_yet')
  add(givenTasks(), late, periodicTask('sound', true))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  await sql`create table not_yet as select 1`.execute(db)
  await expect.poll(() => late.worked()).toBeGreaterThan(0)
})

it('failed work is logged by name and retried', async () => {
  let tries = 0
  const failing = periodicTask('failing', true, {
    work: async () => {
      tries += 1
      throw new Error('no')
    },
  })
  add(givenTasks(), failing)
  await expect.poll(() => tries).toBeGreaterThan(1)
  expect(logged).toContainEqual(expect.objectContaining({ task: 'failing' }))
})

it('stops polling when no task is registered', async () => {
  const only = periodicTask('only', true)
  const stop = givenTasks().add(only)
  await expect.poll(() => only.worked()).toBeGreaterThan(0)
  await stop()
  const before = only.worked()
  await sleep(200)
  expect(only.worked()).toBe(before)
})

it('an idle server runs one statement per second for all tasks', async () => {
  const [, database] = /\/(world_\w+)/.exec(world.connectionString) ?? []
  const asked: string[] = []
  const query = vi.spyOn(pg.Client.prototype, 'query')
  query.mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [statement] = given as [string | { text: string }]
    if (this.database === database) asked.push(typeof statement === 'string' ? statement : statement.text)
    return Reflect.apply(original, this, given)
  } as never)
  await sleep(4_000)
  query.mockRestore()
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.length).toBeLessThan(8)
})
