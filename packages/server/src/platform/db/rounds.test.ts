// Guarantees: one statement checks all periodic tasks; only due ones run, never concurrently with themselves, and none
// blocks another.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { createRounds, type Round, type Rounds } from './rounds.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const original = pg.Client.prototype.query
const logged: { round?: string; msg: string }[] = []
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  logged.length = 0
})

const givenRounds = (): Rounds => {
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const { db, now } = world.open.platform
  return createRounds({ db, log, now }, 50)
}

const add = (rounds: Rounds, ...list: readonly Round[]): void => void stops.push(rounds.add(...list))

const round = (name: string, due: boolean | string, more: Partial<Round> = {}): Round & { worked: () => number } => {
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
  const [due, not] = [round('due', true), round('not', false)]
  add(givenRounds(), not, due)
  await expect.poll(() => due.worked()).toBeGreaterThan(0)
  expect(not.worked()).toBe(0)
})

it('checks each task with its own values at the current time', async () => {
  const heard: string[] = []
  const about = (name: string, values: string[]): Round => ({
    ...round(name, true, { work: async () => void heard.push(name) }),
    values: () => values,
    due: (_db, ...given) => [sql`select 1 where ${given[0] ?? 'b'}::text = 'b' and ${given[1] ?? 'c'}::text = 'c'`],
  })
  const timed: Round = {
    ...round('timed', true, { work: async () => void heard.push('timed') }),
    due: (_db, now) => [sql`select 1 where ${now}::timestamptz = ${world.clock.now().toISOString()}::timestamptz`],
  }
  add(givenRounds(), about('wrong', ['a', 'c']), about('right', ['b', 'c']), about('none', []), timed)
  await expect.poll(() => new Set(heard)).toEqual(new Set(['right', 'none', 'timed']))
  expect(heard).not.toContain('wrong')
})

it('is due if one of several queries returns a row', async () => {
  const several = round('several', true, { due: () => [sql`select 1 where false`, sql`select 1`] })
  add(givenRounds(), several)
  await expect.poll(() => several.worked()).toBeGreaterThan(0)
})

it('never runs a task concurrently with itself, and a slow one does not delay others', async () => {
  let atOnce = 0
  let most = 0
  const ended = Promise.withResolvers<void>()
  const slow = round('slow', true, {
    work: async () => {
      most = Math.max(most, ++atOnce)
      await ended.promise
      atOnce -= 1
    },
  })
  const other = round('other', true)
  const rounds = givenRounds()
  const stop = rounds.add(slow, other)
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
  const [rare, often] = [round('rare', true, { everyMs: 3_600_000 }), round('often', true)]
  add(givenRounds(), rare, often)
  await expect.poll(() => often.worked()).toBeGreaterThan(2)
  expect(rare.worked()).toBe(1)
})

it('a failing query stops only its own task, and the log names it', async () => {
  const [broken, sound] = [round('broken', 'select nothing from nowhere'), round('sound', true)]
  add(givenRounds(), broken, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(0)
  expect(broken.worked()).toBe(0)
  expect(logged.every(({ round }) => round === 'broken')).toBe(true)
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
    round('broken', 'select nothing from nowhere'),
    round('stuck', 'select 1 from held'),
    round('sound', true),
  ]
  // The failing query causes separate checks after the first poll.
  add(givenRounds(), broken, stuck, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(3)
  expect(stuck.worked()).toBe(0)
  held.resolve()
  await holding
  await sql`insert into held values (1)`.execute(db)
  await expect.poll(() => stuck.worked()).toBeGreaterThan(0)
})

it('a task runs again once its query succeeds', async () => {
  const { db } = world.open.platform
  const late = round('late', 'select 1 from not_yet')
  add(givenRounds(), late, round('sound', true))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  await sql`create table not_yet as select 1`.execute(db)
  await expect.poll(() => late.worked()).toBeGreaterThan(0)
})

it('failed work is logged by name and retried', async () => {
  let tries = 0
  const failing = round('failing', true, {
    work: async () => {
      tries += 1
      throw new Error('no')
    },
  })
  add(givenRounds(), failing)
  await expect.poll(() => tries).toBeGreaterThan(1)
  expect(logged).toContainEqual(expect.objectContaining({ round: 'failing' }))
})

it('stops polling when no task is registered', async () => {
  const only = round('only', true)
  const stop = givenRounds().add(only)
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
