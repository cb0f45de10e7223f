// Debits a second: the ledger (transaction, entries, hash chain, balance) against a naive `update … set balance`, on one hot
// account and on many. Both are durable commits, one per debit, from the same connections.
import pg from 'pg'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { findRunningPostgres } from '../packages/server/src/db/embedded/postgres.ts'
import { median, show } from './support/load.ts'

const connections = 16
const accounts = 64
const seconds = 2
const rounds = 5

const server = await startServer({ env: { ENGINE: 'false' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')

type Debit = (client: pg.Client, team: string, id: string) => Promise<unknown>

const ledger: Debit = (client, team, id) =>
  client.query({
    name: 'post',
    text: `select id from ledger_post($1, $2, 'debit', $3, 'engine', $1, '', '', now(),
      jsonb_build_array(jsonb_build_array('provider', 'bench', 1), jsonb_build_array('workspace', $2::text, -1)))`,
    values: [id, team, owner.user_id],
  })

const naive: Debit = (client, team) =>
  client.query({
    name: 'naive',
    text: 'update naive_accounts set balance = balance - 1 where team_id = $1',
    values: [team],
  })

let number = 0

/** Debits a second, all connections as fast as they can. */
const measure = async (clients: readonly pg.Client[], debit: Debit, teams: readonly string[]): Promise<number> => {
  const until = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    clients.map(async (client, index) => {
      for (let turn = index; performance.now() < until; turn += clients.length) {
        number += 1
        await debit(client, teams[turn % teams.length] ?? '', `bench${number.toString(36).padStart(21, '0')}`)
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

const clients: pg.Client[] = []
try {
  const running = await findRunningPostgres(server.dataDir)
  for (let index = 0; index < connections; index += 1) {
    const client = new pg.Client({ connectionString: running?.connectionString })
    await client.connect()
    clients.push(client)
  }
  const [first] = clients
  if (!first) throw new Error('No connection')
  const teams = await prepare(first)
  const hot = teams.slice(0, 1)
  const cases = {
    'naive, one account': () => measure(clients, naive, hot),
    'ledger, one account': () => measure(clients, ledger, hot),
    [`naive, ${accounts} accounts`]: () => measure(clients, naive, teams),
    [`ledger, ${accounts} accounts`]: () => measure(clients, ledger, teams),
  }
  const rates: Record<string, number[]> = {}
  for (let round = 0; round <= rounds; round += 1)
    for (const [name, run] of Object.entries(cases)) {
      const rate = await run()
      // The first round only warms up.
      if (round > 0) rates[name] = [...(rates[name] ?? []), rate]
    }
  for (const name of Object.keys(cases)) console.log(`${name.padEnd(24)} ${show(median(rates[name] ?? []))}/s`)
  const ratio = (a: string, b: string) => (median(rates[a] ?? []) / median(rates[b] ?? [])).toFixed(2)
  console.log(`ledger to naive, one account: ${ratio('ledger, one account', 'naive, one account')}`)
  console.log(
    `ledger to naive, ${accounts} accounts: ${ratio(`ledger, ${accounts} accounts`, `naive, ${accounts} accounts`)}`,
  )
} finally {
  for (const client of clients) await client.end()
  await server.remove()
}
