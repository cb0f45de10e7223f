// Many runs, as in a workspace after months: inserted into the tables one second apart, newest first in every list,
// every second one failed.
import pg from 'pg'
import { findRunningPostgres } from '../../packages/server/src/platform/db/embedded/postgres.ts'
import type { ConsoleWorld } from './console.ts'

type Owner = { team: { id: string }; user: { id: string } }

export const givenManyRuns = async (world: ConsoleWorld, count: number): Promise<void> => {
  const { team, user } = (await world.call('GET', '/me')) as Owner
  const running = await findRunningPostgres(world.server.dataDir)
  const client = new pg.Client({ connectionString: running?.connectionString })
  await client.connect()
  await client.query(
    `insert into tasks (id, team_id, user_id, visibility, status, created_at)
     select lpad(n::text, 26, '0'), $1, $2, 'team', 10 + n % 2, now() - n * interval '1 second' from generate_series(1, $3) n
     on conflict do nothing`,
    [team.id, user.id, count],
  )
  await client.query('analyze tasks')
  await client.end()
}
