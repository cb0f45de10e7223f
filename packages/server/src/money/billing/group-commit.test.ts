// Guarantees: concurrent payments are each made exactly once and never exceed the balance, a refusal affects only its
// own call, calls are answered after the commit, and the number of waiting calls is limited.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { guest } from '#platform/core/actor.ts'
import { type Ctx, createCtx } from '#platform/core/ctx.ts'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { inBatch, postTransaction, verifyLedger } from './service.ts'

let world: World
let replica: Replica
let teamId: string
beforeAll(async () => {
  world = await createWorld()
  replica = await openReplica(world)
  teamId = world.team.id
})
afterAll(async () => {
  await replica?.close()
  await world?.close()
})

const balance = async (): Promise<number> => (await world.call('owner', 'GET /billing')).data.balance
const countPosted = async (): Promise<number> =>
  (await world.call('owner', 'POST /transactions/list', { body: { limit: 1 } })).data.total_items

type BillingCtx = Ctx<typeof guest>

const move = (ctx: BillingCtx, amount: number) =>
  postTransaction(ctx, {
    teamId,
    type: amount < 0 ? 'debit' : 'grant',
    notes: 'né "quoted"\n',
    entries: [
      { account: 'workspace', owner: teamId, amount },
      { account: 'provider', owner: 'local', amount: -amount },
    ],
  })

const pay = (amount: number, ctx = world.ctx()) => inBatch(ctx, teamId, (ctx) => move(ctx, -amount))

/** The number of these calls that were paid; all others were refused because of the balance. */
const settled = async (paid: readonly Promise<unknown>[]): Promise<number> => {
  const results = await Promise.allSettled(paid)
  const refusals = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of refusals) expect(reason).toMatchObject({ code: 'payment_required' })
  return results.length - refusals.length
}

beforeEach(async () => {
  await move(world.ctx(), 100_000 - (await balance()) || 1)
  expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
})

it('pays as often as the balance lets it, with two servers and with those who post by themselves', async () => {
  const before = await countPosted()
  const there = () => createCtx(replica.open.platform, guest)
  const funds = await balance()
  const price = 500
  const most = Math.floor(funds / price)
  const asked = Array.from({ length: 80 }, () => [pay(price), pay(price, there()), move(world.ctx(), -price)]).flat()
  expect(await settled(asked)).toBe(most)
  expect(await balance()).toBe(funds - most * price)
  expect(await countPosted()).toBe(before + most)
  expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
})

it('turns back the one that fails, with what it posted and told, and no other', async () => {
  const before = { balance: await balance(), posted: await countPosted() }
  const told = world.events.length
  const failing = inBatch(world.ctx(), teamId, async (ctx) => {
    await move(ctx, -7)
    await sql`select 1 / 0`.execute(ctx.db)
  })
  const [, failed] = await Promise.allSettled([pay(10), failing, pay(20)])
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
  expect(await balance()).toBe(before.balance - 30)
  expect(await countPosted()).toBe(before.posted + 2)
  const amounts = world.events
    .slice(told)
    .flatMap(({ data }) => (data as { data?: { amount?: number } }).data?.amount ?? [])
  expect(amounts).toEqual([-10, -20])
  expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: true })
})

it('says no to all of a batch whose connection was cut, and has written none of it', async () => {
  const before = { balance: await balance(), posted: await countPosted() }
  const cut = inBatch(world.ctx(), teamId, async (ctx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ctx.db)
    await sql`select pg_terminate_backend(${rows[0]?.pid ?? 0})`.execute(replica.open.platform.db)
  })
  const results = await Promise.allSettled([pay(10), cut, pay(20)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect({ balance: await balance(), posted: await countPosted() }).toEqual(before)
  await pay(1)
  expect(await balance()).toBe(before.balance - 1)
})

it('lets a thousand wait for an account that somebody holds, and tells the next one at once', async () => {
  const { db } = replica.open.platform
  const before = await balance()
  let waiting: Promise<unknown>[] = []
  await db.transaction().execute(async (db) => {
    await sql`select 1 from billing_accounts where team_id = ${teamId} for update`.execute(db)
    waiting = Array.from({ length: 1_000 }, () => pay(1))
    await expect((async () => pay(1))()).rejects.toMatchObject({ code: 'rate_limited' })
  })
  expect(await settled(waiting)).toBe(1_000)
  expect(await balance()).toBe(before - 1_000)
})
