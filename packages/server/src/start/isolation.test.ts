// Guarantees: rows of a workspace do not exist for others: a request that names one in its path or body is answered as
// if it did not exist, reads nothing and changes nothing.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneStep } from '#automation/flow-runs/testing/given.ts'
import { type BrokerDouble, startBroker } from '#machines/rentals/testing/broker-double.ts'
import { type Operation, splitRoute } from '#platform/core/operation.ts'
import { references } from '../testing/foreign-references.ts'
import { type Given, givenRows, type Row } from '../testing/rows-of-every-kind.ts'
import { type Answer, type As, createWorld, type World } from '../testing/world.ts'
import { operations } from './app.ts'

/** Part of everything that the workspace wrote, and unknown to others. */
const word = 'zanzibarcloves'

let world: World
let broker: BrokerDouble
let theirs: Given
let own: Given
let examples: Map<string, unknown>
let before: ReadonlySet<string>

beforeAll(async () => {
  world = await createWorld()
  broker = await startBroker()
  theirs = await givenRows(world, 'owner', word, broker)
  own = await givenRows(world, 'stranger', 'ordinaryword', broker)
  examples = await bodyExamples()
  before = await rowsOfTheirs()
})
afterAll(async () => {
  await theirs?.close()
  await own?.close()
  await broker?.close()
  await world?.close()
})

type Content = Record<string, { example?: unknown }>
type Document = { paths: Record<string, Record<string, { requestBody?: { content: Content } }>> }

/** A valid body for every route with one, without ids of its original caller. */
const bodyExamples = async (): Promise<Map<string, unknown>> => {
  const { paths } = (await world.call(null, 'GET /openapi.json')).json as unknown as Document
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) => {
        const example = requestBody?.content['application/json']?.example
        const text = JSON.stringify(example)?.replace(/"[0-9a-hjkmnp-tv-z]{26}"/g, () => `"${newId()}"`)
        return text === undefined ? [] : [[`${method.toUpperCase()} ${path}`, JSON.parse(text)] as const]
      }),
    ),
  )
}

/** All rows that contain the word or one of the ids as text, except counters of requests and sign-ins. */
const rowsOfTheirs = async (): Promise<ReadonlySet<string>> => {
  const { db } = world.open.platform
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(db)
  const found = new Set<string>()
  for (const { name } of tables.rows.filter(({ name }) => !livingTables.has(name))) {
    const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(name)} t`.execute(db)
    for (const { row } of rows) if (row.includes(word) || row.includes(world.team.id)) found.add(`${name} ${row}`)
  }
  return found
}
/** Heartbeats and last-used times change without a request. */
const livingTables = new Set(['engines', 'workers', 'remotes', 'auth_sessions', 'servers', 'sessions', 'users'])

const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const leadsTo = (path: string, row: Row): boolean =>
  path.slice(0, path.indexOf(':')) === row.at && parametersOf(path).every((name) => row[name] !== undefined)
const filled = (path: string, row: Row): string =>
  path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(row[name] ?? ''))

/** An id of the same form that does not exist. */
const nothingLike = (value: string): string => {
  const id = /^(\w+_)?[0-9a-z]{26}$/.exec(value)
  return id
    ? `${id[1] ?? ''}${newId()}`
    : value.replace(word, newId()).replace(word.toUpperCase(), newId().toUpperCase())
}

/** Two requests that differ only in the id: one of the other workspace, one that does not exist. */
type Attempt = { as: As; route: string; theirs: readonly string[]; nobodys: readonly string[]; ask: Ask }
type Ask = (values: readonly string[]) => Promise<Answer>

const attempt = (as: As, route: string, values: readonly string[], ask: Ask): Attempt => ({
  as,
  route,
  theirs: values,
  nobodys: values.map(nothingLike),
  ask,
})

const told = async (ask: Ask, values: readonly string[]): Promise<string> => {
  const { status, text } = await ask(values)
  let shown = text
  for (const value of values) shown = shown.replaceAll(value, '…').replaceAll(encodeURIComponent(value), '…')
  // Generated values differ each time; only the use of the named row matters.
  const made = `made ${values.every((value) => text.includes(value)) ? 'of it' : 'without it'}`
  return `${status} ${status < 300 ? made : shown}${shown.includes(word) ? ` and shows ${shown}` : ''}`
}

const faultsOf = async (attempts: readonly Attempt[]): Promise<string[]> => {
  const faults: string[] = []
  for (const { as, route, theirs, nobodys, ask } of attempts) {
    const [foreign, absent] = [await told(ask, theirs), await told(ask, nobodys)]
    if (foreign !== absent || foreign.includes('and shows'))
      faults.push(`${route} as ${String(as)}\n  ${foreign}\n  ${absent}`)
  }
  return faults
}

const routes = operations.flatMap((operation) =>
  operation.routes
    .map((route) => ({ operation, route, ...splitRoute(route) }))
    .filter(({ path }) => path.includes(':')),
)
type Route = (typeof routes)[number]

/** Routes of the installation, which only staff can use, and of codes that are not rows of a workspace. */
const isNobodys = ({ operation, path }: Route): boolean =>
  operation.scope.startsWith('admin:') || path.startsWith('/device/')

/** Routes that accept callers without relation to the row; the access matrix covers them. */
const callersOf = ({ scope, publicRows }: Operation): As[] =>
  publicRows || !scope.includes(':') ? ['stranger', null, 'member-key:datastores:read'] : ['stranger']

/** Every foreign row that a route can name: with all path parts foreign, and with a foreign part inside an own row. */
const attemptsAt = ({ operation, route, method, path }: Route): Attempt[] => {
  const body = examples.get(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  const names = parametersOf(path).filter((name) => name !== 'namespace')
  const mine = own.rows.find((row) => leadsTo(path, row))
  const attempts = (row: Row, ...replaced: string[]) =>
    callersOf(operation).map((as) =>
      attempt(
        as,
        route,
        replaced.map((name) => row[name] ?? ''),
        (values) => {
          const named = Object.fromEntries(replaced.map((name, index) => [name, values[index] ?? '']))
          const base = replaced.length === names.length ? row : mine
          return world.call(as, `${method} ${filled(path, { ...base, ...named } as Row)}`, { body })
        },
      ),
    )
  return theirs.rows
    .filter((row) => leadsTo(path, row))
    .flatMap((row) => [...attempts(row, ...names), ...(names.length > 1 ? attempts(row, ...names.slice(1)) : [])])
}

/** Exception by specification [triggers]: firing a trigger of another workspace is forbidden. */
const ruled = new Set(['POST /triggers/:id/fire'])

it('every route with an id responds as if foreign rows did not exist', async () => {
  const tried = routes.filter((route) => !isNobodys(route) && !ruled.has(route.route))
  const attempts = tried.map((route) => ({ route, attempts: attemptsAt(route) }))
  expect(attempts.filter((one) => one.attempts.length === 0).map(({ route }) => route.route)).toEqual([])
  expect(await faultsOf(attempts.flatMap((one) => one.attempts))).toEqual([])
})

const idAt = (rows: readonly Row[], where: string, name = 'id'): string =>
  rows.find((row) => row.at === where && row[name] !== undefined)?.[name] ?? ''
const mine = (where: string, name?: string): string => idAt(own.rows, where, name)

it('every body with an id is answered as if foreign rows did not exist', async () => {
  const attempts = references.map(({ route, kind, body }) => {
    const [where = '', name] = kind.split('.')
    const path = route.replace(/(\/[a-z-]+\/):id/, (_all, root: string) => `${root}${mine(root)}`)
    return attempt('stranger', `${route} ${kind}`, [idAt(theirs.rows, where, name)], ([value = '']) =>
      world.call('stranger', path, { body: body(value, mine) }),
    )
  })
  expect(attempts.filter(({ theirs: [value] }) => !value).map(({ route }) => route)).toEqual([])
  expect(await faultsOf(attempts)).toEqual([])
})

it('a flow can contain a foreign app but cannot run it', async () => {
  const app = idAt(theirs.rows, '/apps/')
  const drawn = attempt('stranger', 'POST /flowruns', [app], async ([id = '']) => {
    const flow = mine('/flows/')
    expect((await world.call('stranger', `POST /flows/${flow}`, { body: oneStep(id) })).status).toBe(200)
    return world.call('stranger', 'POST /flowruns', { body: { flow, input: { text: 'hi' } } })
  })
  expect(await faultsOf([drawn])).toEqual([])
  const { db } = world.open.platform
  const tasks = db.selectFrom('tasks').select('id').where('app_id', '=', app).where('team_id', '=', world.otherTeam.id)
  expect(await tasks.execute()).toEqual([])
})

it('resources that a stranger created show nothing of foreign rows', async () => {
  const shown: string[] = []
  const look = async (route: string, body?: object) => {
    const { status, text } = await world.call('stranger', route, { ...(body && { body }) })
    if (text.includes(word)) shown.push(`${route}: ${status} ${text.slice(0, 400)}`)
  }
  for (const { route, path, operation } of routes)
    if (route.startsWith('GET') && !operation.stream)
      for (const row of own.rows.filter((row) => leadsTo(path, row))) await look(`GET ${filled(path, row)}`)
  const filters = [{ field: 'team_id', operator: 'eq', value: world.team.id }]
  for (const operation of operations.filter(({ list, scope }) => list && !scope.startsWith('admin:'))) {
    const route = operation.routes.find((route) => route.startsWith('POST') && !route.includes(':'))
    for (const body of [{ limit: -1, include_others: true, include_private: true }, { filters }])
      if (route) await look(route, body)
  }
  expect(shown).toEqual([])
})

it('foreign rows are unchanged', async () => {
  const after = await rowsOfTheirs()
  expect([...before].filter((row) => !after.has(row))).toEqual([])
})
