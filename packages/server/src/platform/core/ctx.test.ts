// Guarantees: a failed transaction or savepoint undoes exactly its own work and events, also after a nested failure.
import { sql } from 'kysely'
import Type from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import type { Actor } from './actor.ts'
import type { Ctx } from './ctx.ts'
import { subject } from './subject.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  await sql`create table steps (name text)`.execute(world.open.platform.db)
})
afterAll(() => world?.close())
beforeEach(async () => {
  await sql`truncate steps`.execute(world.open.platform.db)
})

const steps = subject('ctx_test_steps', 'everyone', Type.String())

const note = async (ctx: Ctx<Actor>, name: string): Promise<void> => {
  await sql`insert into steps values (${name})`.execute(ctx.db)
  ctx.emit({ subject: steps, data: name })
}

const failing = async (ctx: Ctx<Actor>, work: (ctx: Ctx<Actor>) => Promise<void>): Promise<void> => {
  const failed = ctx.tx(async (ctx) => {
    await work(ctx)
    throw new Error('on purpose')
  })
  await expect(failed).rejects.toThrow('on purpose')
}

const left = async (work: (ctx: Ctx<Actor>) => Promise<void>) => {
  const told: unknown[] = []
  const unsubscribe = world.open.platform.bus.subscribe(steps, (data) => told.push(data))
  await world.ctx().tx(work)
  unsubscribe()
  const { rows } = await sql<{ name: string }>`select name from steps`.execute(world.open.platform.db)
  const written = rows.map((row) => row.name)
  expect(told).toEqual(written)
  return written
}

it.each<{ claim: string; work: (ctx: Ctx<Actor>) => Promise<void>; written: string[] }>([
  {
    claim: 'a nested failure undoes only its own work',
    work: async (ctx) => {
      await note(ctx, 'before')
      await failing(ctx, (ctx) => note(ctx, 'inside'))
      await note(ctx, 'after')
    },
    written: ['before', 'after'],
  },
  {
    claim: 'an outer failure after a nested failure undoes all work since its own savepoint',
    work: async (ctx) => {
      await note(ctx, 'before')
      await failing(ctx, async (ctx) => {
        await note(ctx, 'inside')
        await failing(ctx, (ctx) => note(ctx, 'further inside'))
        await note(ctx, 'inside, after')
      })
      await note(ctx, 'after')
    },
    written: ['before', 'after'],
  },
  {
    claim: 'outer work that succeeds survives nested failures',
    work: async (ctx) => {
      await ctx.tx(async (ctx) => {
        for (let round = 0; round < 3; round += 1) await failing(ctx, (ctx) => note(ctx, 'inside'))
        await note(ctx, 'kept')
      })
      await failing(ctx, (ctx) => note(ctx, 'last'))
    },
    written: ['kept'],
  },
])('$claim', async ({ work, written }) => {
  expect(await left(work)).toEqual(written)
})
