// Guarantees: transactions that the operator does not retain are deleted only after they were verified; the balance,
// the chain and the sums continue from a seal that cannot be forged.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { closeOldLedgers } from './closing.ts'
import { platformOwner, postTransaction, verifyLedger } from './service.ts'

const day = 24 * 3600_000
let world: World
const run = (text: string) => sql.raw(text).execute(world.open.platform.db)
const verify = () => verifyLedger(world.open.platform)
const close = () => closeOldLedgers(world.open.platform)

const move = (amount: number) =>
  postTransaction(world.ctx(), {
    teamId: world.team.id,
    type: amount > 0 ? 'grant' : 'debit',
    entries: [
      { account: 'workspace', owner: world.team.id, amount },
      { account: 'platform', owner: platformOwner, amount: -amount },
    ],
  })
const left = async () => {
  const { rows } = await sql<{ seq: number }>`select seq from transactions order by seq`.execute(world.open.platform.db)
  return rows.map(({ seq }) => seq)
}

beforeAll(async () => {
  world = await createWorld({ settings: { KEEP_LEDGER_DAYS: '400' } })
  for (const amount of [1_000, -100, -200]) await move(amount)
  world.clock.advance(399 * day)
  await move(50)
})
afterAll(() => world?.close())

it('what is young enough stays', async () => {
  await close()
  expect(await left()).toEqual([1, 2, 3, 4])
})

it('what is older goes; balance, chain and sums go on', async () => {
  world.clock.advance(2 * day)
  await close()
  expect(await left()).toEqual([4])
  const closing = await world.open.platform.db.selectFrom('ledger_closings').selectAll().executeTakeFirstOrThrow()
  expect(closing).toMatchObject({ team_id: world.team.id, seq: 3, balance: 700 })
  expect(closing.sums).toEqual([
    ['platform', platformOwner, -700],
    ['workspace', world.team.id, 700],
  ])
  expect(await verify()).toEqual({ ok: true, accounts: 1, transactions: 4 })
  await move(-750)
  const { db } = world.open.platform
  expect(await db.selectFrom('billing_accounts').select('balance').executeTakeFirst()).toEqual({ balance: 0 })
  await expect(move(-1)).rejects.toMatchObject({ code: 'payment_required' })
  expect(await verify()).toMatchObject({ ok: true, transactions: 5 })
})

it('the guard against changes still stands for everybody else', async () => {
  await expect(run('delete from transactions')).rejects.toThrow(/append-only/)
  await expect(run('set millrace.closes_ledger = on; update transactions set amount = 1')).rejects.toThrow(
    /append-only/,
  )
})

it('a closing that was changed is named, and nothing more is deleted', async () => {
  await run('update ledger_closings set balance = 1700')
  world.clock.advance(800 * day)
  await close()
  expect(await left()).toEqual([4, 5])
  expect(await verify()).toMatchObject({ ok: false, team_id: world.team.id, reason: 'forged_closing' })
  await run('update ledger_closings set balance = 700')
})

it('a transaction that was changed is not closed', async () => {
  await run('alter table transactions disable trigger transactions_append_only')
  await run(`update transactions set notes = 'other' where seq = 5`)
  await close()
  expect(await left()).toEqual([4, 5])
  await run(`update transactions set notes = '' where seq = 5`)
  await close()
  expect(await left()).toEqual([])
  expect(await verify()).toMatchObject({ ok: true, transactions: 5 })
})

it('a closing that was taken away is missed', async () => {
  await run('delete from ledger_closings')
  expect(await verify()).toMatchObject({ ok: false, reason: 'missing' })
})
