// Guarantees: a failed search and a disabled search have error codes of their own [search 6].
import { sql } from 'kysely'
import { type Scenario, scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'

const nothing = () => ({})
const ordinary = sharedWorld()
const switchedOff = sharedWorld({ settings: { SEARCH: 'false' } })

/** Calls the API while the index table is renamed. */
const withoutIndex = (ask: (world: World) => ReturnType<World['call']>) => async (world: World) => {
  const { db } = world.open.platform
  await sql`alter table search_documents rename to search_documents_away`.execute(db)
  try {
    return await ask(world)
  } finally {
    await sql`alter table search_documents_away rename to search_documents`.execute(db)
  }
}

const routes = [
  { operation: 'search.query', status: 500, ask: (world: World) => world.call('member', 'GET /search?q=bread') },
  {
    operation: 'search.find',
    status: 500,
    ask: (world: World) => world.call('member', 'POST /search', { body: { query: 'bread' } }),
  },
  { operation: 'suggest.query', status: 502, ask: (world: World) => world.call('member', 'GET /suggest?q=bread') },
  {
    operation: 'suggest.find',
    status: 502,
    ask: (world: World) => world.call('member', 'POST /suggest', { body: { query: 'bread' } }),
  },
] as const

for (const { operation, status, ask } of routes) {
  const broken: Scenario<object> = {
    claim: 'the index fails',
    as: 'member',
    act: withoutIndex(ask),
    status,
    code: 'search_error',
  }
  const off: Scenario<object> = {
    claim: 'switched off',
    as: 'member',
    act: ask,
    status: 503,
    code: 'search_unavailable',
  }
  scenarios(operation, nothing, [broken], ordinary)
  scenarios(operation, nothing, [off], switchedOff)
}
