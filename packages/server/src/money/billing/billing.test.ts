// Guarantees: only platform staff add money, transactions add up to the balance, workspaces see only their own, and a
// manipulated ledger is detected.
import { maxMicrocents } from '@millrace/contract/billing'
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { move } from '#execution/tasks/moves.ts'
import { finish, givenApp, run } from '#execution/tasks/testing/given.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { platformOwner, postTransaction, verifyLedger } from './service.ts'

const grant = (world: World, amount = 500) =>
  world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount, notes: 'hello' } })

scenarios('billing.get', grant, [
  {
    claim: 'the balance, in microcents',
    as: 'member',
    status: 200,
    check: ({ data }, _given, world) =>
      expect(data).toMatchObject({
        balance: 500,
        currency: 'usd',
        status: 'active',
        team_id: world.team.id,
        user_id: world.people.owner.userId,
      }),
  },
  {
    claim: 'a workspace without money',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data.balance).toBe(0),
  },
  { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
])

scenarios('billing.transactions', grant, [
  {
    claim: 'what moved the balance, newest first, and adding up to it',
    as: 'key:billing:read',
    query: { sort: '[{"field":"amount","dir":"desc"}]', filters: '[{"field":"type","value":"grant"}]' },
    status: 200,
    check: async ({ data }, _given, world) => {
      expect(data.items[0]).toMatchObject({ type: 'grant', amount: 500, notes: 'hello', team_id: world.team.id })
      const all = await world.call('owner', 'POST /transactions/list', { body: { limit: -1 } })
      const sum = all.data.items.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
      expect(sum).toBe((await world.call('owner', 'GET /billing')).data.balance)
    },
  },
  {
    claim: 'nothing of another workspace',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    query: { filters: '[{"field":"hash","value":"x"}]' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
])

scenarios('billing.grant', () => undefined, [
  {
    claim: 'staff credit a workspace; its members are notified',
    as: 'platform',
    act: (world) => grant(world, 7),
    status: 200,
    audits: ['billing.granted'],
    emits: ['team/transactions'],
    check: ({ data }, _given, world) =>
      expect(data).toMatchObject({ type: 'grant', amount: 7, team_id: world.team.id, notes: 'hello' }),
  },
  ...[0, -5, 1.5, '7', 1e300].map((amount) => ({
    claim: `an amount of ${amount}`,
    as: 'platform' as const,
    act: (world: World) => world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount } }),
    status: 400,
    code: 'validation_error',
  })),
  {
    claim: 'more than can be added up exactly',
    as: 'platform',
    act: async (world) => {
      const body = { team_id: world.otherTeam.id, amount: maxMicrocents }
      expect((await world.call('platform', 'POST /billing/grants', { body })).status).toBe(200)
      const answer = await world.call('platform', 'POST /billing/grants', { body: { ...body, amount: 1 } })
      expect((await world.call('stranger', 'GET /billing')).data.balance).toBe(maxMicrocents)
      return answer
    },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing amount', as: 'platform', body: { team_id: 'x' }, status: 400, code: 'validation_error' },
  {
    claim: 'an unknown workspace',
    as: 'platform',
    body: { team_id: '00000000000000000000000000', amount: 1 },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'the workspace’s own owner',
    as: 'owner',
    body: { team_id: 'x', amount: 1 },
    status: 403,
    code: 'forbidden',
  },
  { claim: 'a key', as: 'key:', body: { team_id: 'x', amount: 1 }, status: 403, code: 'requires_sign_in' },
  { claim: 'no credential', as: null, body: {}, status: 401, code: 'unauthorized' },
])

scenarios('billing.status', () => undefined, [
  {
    claim: 'staff stop a workspace from spending',
    as: 'platform',
    act: (world) =>
      world.call('platform', 'POST /billing/status', { body: { team_id: world.team.id, status: 'manual_hold' } }),
    status: 200,
    audits: ['billing.status_changed'],
    check: ({ data }) => expect(data.status).toBe('manual_hold'),
  },
  {
    claim: 'an unknown status',
    as: 'platform',
    body: { team_id: 'x', status: 'rich' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an unknown workspace',
    as: 'platform',
    body: { team_id: '00000000000000000000000000', status: 'active' },
    status: 404,
    code: 'not_found',
  },
  { claim: 'an owner', as: 'owner', body: { team_id: 'x', status: 'active' }, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', body: { team_id: 'x', status: 'active' }, status: 403, code: 'requires_sign_in' },
  { claim: 'no credential', as: null, body: {}, status: 401, code: 'unauthorized' },
])

scenarios(
  'billing.usage',
  async (world) => {
    await grant(world)
    const { id: teamId } = world.team
    await postTransaction(world.ctx(), {
      teamId,
      type: 'debit',
      reference: 'engine',
      referenceId: 'e1',
      entries: [
        { account: 'workspace', owner: teamId, amount: -40 },
        { account: 'provider', owner: 'local', amount: 40 },
      ],
    })
    await postTransaction(world.ctx(), {
      teamId,
      type: 'refund',
      reference: 'engine',
      referenceId: 'e1',
      entries: [
        { account: 'workspace', owner: teamId, amount: 40 },
        { account: 'provider', owner: 'local', amount: -40 },
      ],
    })
  },
  [
    {
      claim: 'rentals net of refunds; grants are no usage',
      as: 'key:billing:read',
      status: 200,
      check: ({ data }) => expect(data).toEqual({ total: 0, by_app: [], by_day: [] }),
    },
    { claim: 'dates', as: 'owner', query: { from: '2020-01-01', to: '2020-02-01' }, status: 200 },
    { claim: 'no date', as: 'owner', query: { from: 'yesterday' }, status: 400, code: 'validation_error' },
    ...['2026-02-30', '2026-02-30T12:00:00Z', '2026-01-01T25:00:00Z'].map((to) => ({
      claim: `no day or hour of any year: ${to}`,
      as: 'owner' as const,
      query: { to },
      status: 400,
      code: 'validation_error',
    })),
    { claim: 'another workspace’s', as: 'stranger', status: 200, check: ({ data }) => expect(data.total).toBe(0) },
    { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
    { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
  ],
)

scenarios(
  'billing.resources',
  async (world) => {
    const { id } = await run(world, await givenApp(world))
    await move(world.ctx(), id, { fence: null, to: taskStatus.running })
    world.clock.advance(1500)
    const tokens = (count: number) => [{ type: 'text', tokens: count }]
    await finish(world, id, { text: 'hi', output_meta: { inputs: tokens(7), outputs: tokens(5) } })
  },
  [
    {
      claim: 'what free runs used is counted too',
      as: 'key:billing:read',
      status: 200,
      check: ({ data }) => {
        expect(data.total).toMatchObject({
          tasks: 1,
          cpu_seconds: 1.5,
          gpu_seconds: 0,
          input_tokens: 7,
          output_tokens: 5,
        })
        expect(data.total.input_bytes).toBeGreaterThan(0)
        expect(data.by_app).toHaveLength(1)
      },
    },
    { claim: 'no date', as: 'owner', query: { from: 'yesterday' }, status: 400, code: 'validation_error' },
    { claim: 'another workspace’s', as: 'stranger', status: 200, check: ({ data }) => expect(data.by_app).toEqual([]) },
    { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
    { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
  ],
)

const oneFailure = async (world: World) => {
  const app = await givenApp(world)
  const done = await run(world, app)
  await move(world.ctx(), done.id, { fence: null, to: taskStatus.running })
  world.clock.advance(1500)
  await finish(world, done.id, { text: 'hi', usage: { prompt_tokens: 7, completion_tokens: 5 } })
  for (const port of [8080, 8081]) {
    world.clock.advance(1000)
    const { id } = await run(world, app)
    await move(world.ctx(), id, { fence: null, to: taskStatus.failed, error: `Cannot reach port ${port}\nat main` })
  }
  const hidden = await run(world, app, {}, 'member')
  await world.call('member', `POST /tasks/${hidden.id}/visibility`, { body: { visibility: 'private' } })
  return { app, owner: world.people.owner.userId }
}

scenarios(
  'billing.summary',
  oneFailure,
  [
    {
      claim: 'counts by day, app and person, and failures that differ only in numbers have one cause',
      as: 'owner',
      status: 200,
      check: ({ data }, { app, owner }) => {
        const counts = { runs: 3, failed: 2, cancelled: 0, microcents: 0, input_tokens: 7, output_tokens: 5 }
        expect(data.total).toMatchObject({ ...counts, p50_ms: 1500, p99_ms: 1500 })
        expect(data.by_day).toHaveLength(31)
        expect(data.by_day.at(-1)).toMatchObject(counts)
        expect(data.by_app).toMatchObject([{ id: app.id, name: `${app.namespace}/${app.name}`, ...counts }])
        expect(data.by_person).toMatchObject([{ id: owner, name: '', ...counts }])
        expect([data.by_agent, data.by_flow]).toEqual([[], []])
        expect(data.failures).toMatchObject([
          {
            ref: `${app.namespace}/${app.name}`,
            cause: 'Cannot reach port …',
            example: 'Cannot reach port 8081',
            count: 2,
          },
        ])
      },
    },
    {
      claim: 'private runs count for their owner only',
      as: 'member',
      status: 200,
      check: ({ data }, { owner }, world) => {
        const people = data.by_person.map(({ id }: { id: string }) => id)
        expect(people.sort()).toEqual([owner, world.people.member.userId].sort())
      },
    },
    {
      claim: 'a period without runs',
      as: 'owner',
      query: { to: '2020-02-01' },
      status: 200,
      check: ({ data }) => expect(data.total).toMatchObject({ runs: 0, p50_ms: null }),
    },
    { claim: 'more than a year', as: 'owner', query: { from: '2001-01-01' }, status: 400, code: 'validation_error' },
    {
      claim: 'another workspace’s',
      as: 'stranger',
      status: 200,
      check: ({ data }) => expect(data.failures).toEqual([]),
    },
    { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
    { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
    { claim: 'a key that cannot read runs', as: 'key:billing:read', status: 403, code: 'insufficient_scope' },
  ],
  ownWorld,
)

describe('the ledger', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
    await grant(world, 100)
  })
  afterAll(() => world?.close())

  const spend = (amount: number) =>
    postTransaction(world.ctx(), {
      teamId: world.team.id,
      type: 'debit',
      entries: [
        { account: 'workspace', owner: world.team.id, amount: -amount },
        { account: 'platform', owner: platformOwner, amount },
      ],
    })

  it('never lets a balance fall below zero, however many spend at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 30 }, () => spend(10)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'payment_required' })
    expect((await world.call('owner', 'GET /billing')).data.balance).toBe(0)
    expect(await verifyLedger(world.open.platform)).toEqual({ ok: true, accounts: 1, transactions: 11 })
  })

  it('refuses entries that do not add up, and any change of what was posted', async () => {
    const entries = [{ account: 'workspace' as const, owner: world.team.id, amount: 5 }]
    await expect(postTransaction(world.ctx(), { teamId: world.team.id, type: 'grant', entries })).rejects.toThrow()
    const { db } = world.open.platform
    await expect(sql`update transactions set amount = 1`.execute(db)).rejects.toThrow(/append-only/)
    await expect(sql`delete from ledger_entries`.execute(db)).rejects.toThrow(/append-only/)
  })

  it('that was edited past its own guard is named, with the transaction and the reason', async () => {
    const { db } = world.open.platform
    await sql`alter table transactions disable trigger transactions_append_only`.execute(db)
    await sql`update transactions set notes = 'other' where seq = 3`.execute(db)
    expect(await verifyLedger(world.open.platform)).toMatchObject({
      ok: false,
      team_id: world.team.id,
      seq: 3,
      reason: 'edited',
    })
    await sql`update transactions set notes = '' where seq = 3`.execute(db)
    await sql`update billing_accounts set balance = 1`.execute(db)
    expect(await verifyLedger(world.open.platform)).toMatchObject({ ok: false, reason: 'wrong_balance' })
  })
})
