// Guards: what is due is asked for all rooms by one statement; only rooms with something to do work, never twice at a time,
// and none keeps another from its work.
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

it('works where something is due, and nowhere else', async () => {
  const [due, not] = [round('due', true), round('not', false)]
  add(givenRounds(), not, due)
  await expect.poll(() => due.worked()).toBeGreaterThan(0)
  expect(not.worked()).toBe(0)
})

it('asks each room with its own values, at the time it is', async () => {
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

it('takes one answer of several for enough', async () => {
  const several = round('several', true, { due: () => [sql`select 1 where false`, sql`select 1`] })
  add(givenRounds(), several)
  await expect.poll(() => several.worked()).toBeGreaterThan(0)
})

it('never works twice at a time, and others do not wait for one that is slow', async () => {
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

it('leaves a room alone for as long as it asks', async () => {
  const [rare, often] = [round('rare', true, { everyMs: 3_600_000 }), round('often', true)]
  add(givenRounds(), rare, often)
  await expect.poll(() => often.worked()).toBeGreaterThan(2)
  expect(rare.worked()).toBe(1)
})

it('a question that cannot be answered stops only its own room, and the log names it', async () => {
  const [broken, sound] = [round('broken', 'select nothing from nowhere'), round('sound', true)]
  add(givenRounds(), broken, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(0)
  expect(broken.worked()).toBe(0)
  expect(logged.every(({ round }) => round === 'broken')).toBe(true)
  expect(logged.length).toBeGreaterThan(0)
})

it('a room whose question hangs keeps none of the others from asking', async () => {
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
  // The broken one has each asked by itself from the first look on.
  add(givenRounds(), broken, stuck, sound)
  await expect.poll(() => sound.worked()).toBeGreaterThan(3)
  expect(stuck.worked()).toBe(0)
  held.resolve()
  await holding
  await sql`insert into held values (1)`.execute(db)
  await expect.poll(() => stuck.worked()).toBeGreaterThan(0)
})

it('once a question can be answered again, its room works again', async () => {
  const { db } = world.open.platform
  const late = round('late', 'select 1 from not_yet')
  add(givenRounds(), late, round('sound', true))
  await expect.poll(() => logged.length).toBeGreaterThan(0)
  await sql`create table not_yet as select 1`.execute(db)
  await expect.poll(() => late.worked()).toBeGreaterThan(0)
})

it('work that fails is told by name, and tried again', async () => {
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

it('asks nothing more once nobody wants to know', async () => {
  const only = round('only', true)
  const stop = givenRounds().add(only)
  await expect.poll(() => only.worked()).toBeGreaterThan(0)
  await stop()
  const before = only.worked()
  await sleep(200)
  expect(only.worked()).toBe(before)
})

it('a server that rests asks once a second for all of its rooms', async () => {
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
