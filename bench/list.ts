// Page 10,000 of a million rows compared with page 1: with keyset cursors both cost the same. Also with `total_items`,
// which is exact up to 10,000 matches and an estimate beyond.
import pg from 'pg'
import { signIn } from '../e2e/support/operator.ts'
import { startServer } from '../e2e/support/server.ts'
import { findRunningPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { load, median, show } from './support/load.ts'

const rows = 1_000_000
const limit = 100

const server = await startServer({ env: { ENGINE: 'false' } })
const owner = await signIn(server.dataDir, 'bench@example.com', 'bench')
const headers = {
  authorization: `Bearer ${owner.session_token}`,
  'x-team-id': owner.team_id,
  'content-type': 'application/json',
}

const fill = async (): Promise<void> => {
  const running = await findRunningPostgres(server.dataDir)
  const client = new pg.Client({ connectionString: running?.connectionString })
  await client.connect()
  await client.query(
    `insert into tasks (id, team_id, user_id, visibility, status, created_at)
     select lpad(n::text, 26, '0'), $1, $2, 'team', 10, now() - n * interval '1 second' from generate_series(1, ${rows}) n`,
    [owner.team_id, owner.user_id],
  )
  await client.query('vacuum analyze tasks')
  await client.end()
}

type Page = { items: { id: string }[]; next_cursor: string; prev_cursor: string; total_items: number }

const page = async (body: object): Promise<Page> => {
  const response = await fetch(`${server.url}/tasks/list`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ limit, ...body }),
  })
  return ((await response.json()) as { data: Page }).data
}

try {
  await fill()
  const last = await page({ direction: 'backward' })
  const before = await page({ direction: 'backward', cursor: last.prev_cursor })
  const cursor = before.next_cursor
  const far = await page({ cursor })
  if (far.items[0]?.id !== last.items[0]?.id) throw new Error('The cursor does not lead to the last page')
  const bodies = { first: JSON.stringify({ limit }), far: JSON.stringify({ limit, cursor }) }
  const times: Record<keyof typeof bodies, number[]> = { first: [], far: [] }
  for (let round = 0; round < 7; round += 1)
    for (const name of ['first', 'far'] as const) {
      const { p50Ms, errors } = await load({
        url: `${server.url}/tasks/list`,
        method: 'POST',
        headers,
        body: bodies[name],
        connections: 1,
        seconds: 1.5,
      })
      if (errors > 0) throw new Error(`${errors} requests failed`)
      if (round > 0) times[name].push(p50Ms)
    }
  console.log(`rows         ${show(rows)} (total_items says ${show(far.total_items)})`)
  console.log(`page 1       ${median(times.first).toFixed(2)} ms`)
  console.log(`page ${show(rows / limit)}  ${median(times.far).toFixed(2)} ms`)
  console.log(`ratio        ${(median(times.far) / median(times.first)).toFixed(2)} (aim ≤ 1.2)`)
} finally {
  await server.remove()
}
