// Debits per second on one account and on many: the ledger (transaction, entries, hash chain, balance) with group
// commit as in the server, the ledger with one transaction per debit, and a naive `update … set balance`. Each debit is
// answered after its durable commit, over the same maximum number of connections.
import pg from 'pg'
import pino from 'pino'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { inBatch, postTransaction } from '../packages/server/src/money/billing/service.ts'
import { guest } from '../packages/server/src/platform/core/actor.ts'
import { type Ctx, createCtx } from '../packages/server/src/platform/core/ctx.ts'
import { findRunningPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { readSettings } from '../packages/server/src/platform/settings/settings.ts'
import { openPlatform } from '../packages/server/src/start/platform.ts'
import { median, show } from './support/load.ts'

const connections = 12
/** Number of concurrent callers. */
const callers = 256
const accounts = 64
const seconds = 2
const rounds = 3

const server = await startServer({ env: { ENGINE: 'false' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')

type Debit = (team: string, caller: number) => Promise<unknown>

const post = (ctx: Ctx<typeof guest>, teamId: string) =>
  postTransaction(ctx, {
    teamId,
    type: 'debit',
    userId: owner.user_id,
    entries: [
      { account: 'workspace', owner: teamId, amount: -1 },
      { account: 'provider', owner: 'bench', amount: 1 },
    ],
  })

/** Debits per second with all callers in a closed loop. */
const measure = async (debit: Debit, atOnce: number, teams: readonly string[]): Promise<number> => {
  const until = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: atOnce }, async (_, caller) => {
      for (let turn = caller; performance.now() < until; turn += atOnce) {
        await debit(teams[turn % teams.length] ?? '', caller)
        done += 1
      }
    }),
  )
  return done / seconds
}

const prepare = async (client: pg.Client): Promise<string[]> => {
  await client.query(
    'create table naive_accounts (team_id text primary key, balance bigint not null check (balance >= 0))',
  )
  await client.query(
    `insert into teams (id, type, name, username, created_at, updated_at)
     select 'bench-' || n, 'team', 'Bench', 'bench-' || n, now(), now() from generate_series(1, ${accounts}) n`,
  )
  const { rows } = await client.query<{ id: string }>(`select id from teams where id like 'bench-%' order by id`)
  const teams = rows.map(({ id }) => id)
  await client.query(
    `insert into billing_accounts (team_id, id, balance) select id, 'account-' || id, 1000000000000 from unnest($1::text[]) id`,
    [teams],
  )
  await client.query(`insert into naive_accounts select id, 1000000000000 from unnest($1::text[]) id`, [teams])
  return teams
}

const naive =
  (clients: readonly pg.Client[]): Debit =>
  async (team, caller) =>
    clients[caller]?.query({
      name: 'naive',
      text: 'update naive_accounts set balance = balance - 1 where team_id = $1',
      values: [team],
    })

const clients: pg.Client[] = []
const running = await findRunningPostgres(server.dataDir)
const connectionString = running?.connectionString ?? ''
const open = await openPlatform({
  settings: readSettings({ DATA_DIR: server.dataDir }),
  connectionString,
  log: pino({ level: 'silent' }),
  maxConnections: connections,
})
try {
  for (let index = 0; index < connections; index += 1) {
    const client = new pg.Client({ connectionString })
    await client.connect()
    clients.push(client)
  }
  const [first] = clients
  if (!first) throw new Error('No connection')
  const all = await prepare(first)
  const ctx = createCtx(open.platform, guest)
  const debits: Record<string, readonly [number, Debit]> = {
    naive: [connections, naive(clients)],
    'ledger, one transaction each': [connections, (team) => post(ctx, team)],
    'ledger, as in the server': [callers, (team) => inBatch(ctx, team, (ctx) => post(ctx, team))],
  }
  for (const [where, teams] of [['one account', all.slice(0, 1)] as const, [`${accounts} accounts`, all] as const]) {
    const rates: Record<string, number[]> = {}
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round += 1)
      for (const [name, [atOnce, debit]] of Object.entries(debits)) {
        const rate = await measure(debit, atOnce, teams)
        if (round > 0) rates[name] = [...(rates[name] ?? []), rate]
      }
    for (const [name, [atOnce]] of Object.entries(debits))
      console.log(`${where}, ${name} (${atOnce} at once)`.padEnd(56), `${show(median(rates[name] ?? []))}/s`)
  }
} finally {
  for (const client of clients) await client.end()
  await open.close()
  await server.remove()
}
