// Guards: what belongs to a workspace is not there for anybody else: whoever names a row of it, in a path or in a body, is
// answered as if it did not exist, reads nothing of it and changes nothing.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneStep } from '#automation/flow-runs/testing/given.ts'
import { type BrokerDouble, startBroker } from '#machines/rentals/testing/broker-double.ts'
import { type Operation, splitDoor } from '#platform/core/operation.ts'
import { references } from '../testing/foreign-references.ts'
import { type Given, givenRows, type Row } from '../testing/rows-of-every-kind.ts'
import { type Answer, type As, createWorld, type World } from '../testing/world.ts'
import { operations } from './app.ts'

/** In everything that the workspace wrote, and known to nobody else. */
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

/** A fitting body for every door that takes one, without the ids of whoever it was recorded from. */
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

/** Every row in which the word or an id of theirs stands, as text. What counts requests and sign-ins is nobody's. */
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
/** Heartbeats and times of use go on without anybody doing anything. */
const livingTables = new Set(['engines', 'workers', 'remotes', 'auth_sessions', 'servers', 'sessions', 'users'])

const parametersOf = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
const leadsTo = (path: string, row: Row): boolean =>
  path.slice(0, path.indexOf(':')) === row.at && parametersOf(path).every((name) => row[name] !== undefined)
const filled = (path: string, row: Row): string =>
  path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(row[name] ?? ''))

/** Of the same form, and nobody's. */
const nothingLike = (value: string): string => {
  const id = /^(\w+_)?[0-9a-z]{26}$/.exec(value)
  return id
    ? `${id[1] ?? ''}${newId()}`
    : value.replace(word, newId()).replace(word.toUpperCase(), newId().toUpperCase())
}

/** Two requests that differ only in that one names what is theirs and the other what is nobody's. */
type Attempt = { as: As; door: string; theirs: readonly string[]; nobodys: readonly string[]; ask: Ask }
type Ask = (values: readonly string[]) => Promise<Answer>

const attempt = (as: As, door: string, values: readonly string[], ask: Ask): Attempt => ({
  as,
  door,
  theirs: values,
  nobodys: values.map(nothingLike),
  ask,
})

const told = async (ask: Ask, values: readonly string[]): Promise<string> => {
  const { status, text } = await ask(values)
  let shown = text
  for (const value of values) shown = shown.replaceAll(value, '…').replaceAll(encodeURIComponent(value), '…')
  // What was made in passing is different each time, but for whether it took over what was named.
  const made = `made ${values.every((value) => text.includes(value)) ? 'of it' : 'without it'}`
  return `${status} ${status < 300 ? made : shown}${shown.includes(word) ? ` and shows ${shown}` : ''}`
}

const faultsOf = async (attempts: readonly Attempt[]): Promise<string[]> => {
  const faults: string[] = []
  for (const { as, door, theirs, nobodys, ask } of attempts) {
    const [foreign, absent] = [await told(ask, theirs), await told(ask, nobodys)]
    if (foreign !== absent || foreign.includes('and shows'))
      faults.push(`${door} as ${String(as)}\n  ${foreign}\n  ${absent}`)
  }
  return faults
}

const doors = operations.flatMap((operation) =>
  operation.doors.map((door) => ({ operation, door, ...splitDoor(door) })).filter(({ path }) => path.includes(':')),
)
type Door = (typeof doors)[number]

/** Doors of the installation, which staff alone open, and of codes that are no rows of a workspace. */
const isNobodys = ({ operation, path }: Door): boolean =>
  operation.scope.startsWith('admin:') || path.startsWith('/device/')

/** Whom a door lets in that have no business with the row: the matrix shows who stays outside of every door. */
const callersOf = ({ scope, publicRows }: Operation): As[] =>
  publicRows || !scope.includes(':') ? ['stranger', null, 'member-key:datastores:read'] : ['stranger']

/** Each row of theirs that a door leads to: all of its path, and where it has parts, a part of theirs in a row of one's own. */
const attemptsAt = ({ operation, door, method, path }: Door): Attempt[] => {
  const body = examples.get(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
  const names = parametersOf(path).filter((name) => name !== 'namespace')
  const mine = own.rows.find((row) => leadsTo(path, row))
  const attempts = (row: Row, ...replaced: string[]) =>
    callersOf(operation).map((as) =>
      attempt(
        as,
        door,
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

/** Ruled otherwise [triggers]: to fire a trigger of another workspace is forbidden. */
const ruled = new Set(['POST /triggers/:id/fire'])

it('every door that takes an id answers as if theirs were not there', async () => {
  const tried = doors.filter((door) => !isNobodys(door) && !ruled.has(door.door))
  const attempts = tried.map((door) => ({ door, attempts: attemptsAt(door) }))
  expect(attempts.filter((one) => one.attempts.length === 0).map(({ door }) => door.door)).toEqual([])
  expect(await faultsOf(attempts.flatMap((one) => one.attempts))).toEqual([])
})

const idAt = (rows: readonly Row[], where: string, name = 'id'): string =>
  rows.find((row) => row.at === where && row[name] !== undefined)?.[name] ?? ''
const mine = (where: string, name?: string): string => idAt(own.rows, where, name)

it('so does every body that names one', async () => {
  const attempts = references.map(({ door, kind, body }) => {
    const [where = '', name] = kind.split('.')
    const path = door.replace(/(\/[a-z-]+\/):id/, (_all, root: string) => `${root}${mine(root)}`)
    return attempt('stranger', `${door} ${kind}`, [idAt(theirs.rows, where, name)], ([value = '']) =>
      world.call('stranger', path, { body: body(value, mine) }),
    )
  })
  expect(attempts.filter(({ theirs: [value] }) => !value).map(({ door }) => door)).toEqual([])
  expect(await faultsOf(attempts)).toEqual([])
})

it('a flow may be drawn with an app of theirs, and runs it no more than one that is not there', async () => {
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

it('nothing of theirs is shown by what a stranger made of it', async () => {
  const shown: string[] = []
  const look = async (door: string, body?: object) => {
    const { status, text } = await world.call('stranger', door, { ...(body && { body }) })
    if (text.includes(word)) shown.push(`${door}: ${status} ${text.slice(0, 400)}`)
  }
  for (const { door, path, operation } of doors)
    if (door.startsWith('GET') && !operation.stream)
      for (const row of own.rows.filter((row) => leadsTo(path, row))) await look(`GET ${filled(path, row)}`)
  const filters = [{ field: 'team_id', operator: 'eq', value: world.team.id }]
  for (const operation of operations.filter(({ list, scope }) => list && !scope.startsWith('admin:'))) {
    const door = operation.doors.find((door) => door.startsWith('POST') && !door.includes(':'))
    for (const body of [{ limit: -1, include_others: true, include_private: true }, { filters }])
      if (door) await look(door, body)
  }
  expect(shown).toEqual([])
})

it('and nothing of theirs has changed', async () => {
  const after = await rowsOfTheirs()
  expect([...before].filter((row) => !after.has(row))).toEqual([])
})
