// Guarantees: repeated executions of a named statement return the same results as the driver's own query, although the
// shape of the rows is requested once per connection.
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { statementName } from './database.ts'
import { NamedQuery } from './named-query.ts'

let world: World
let client: pg.PoolClient
let described = 0

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

beforeEach(async () => {
  const { pool } = world.open.database
  const own = new pg.Pool({ ...pool.options, max: 1 })
  client = await own.connect()
  described = 0
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('rowDescription', () => {
    described += 1
  })
  return async () => {
    client.release()
    await own.end()
  }
})

const ask = async (text: string, values: unknown[]): Promise<object[]> =>
  (await new NamedQuery({ name: statementName(text) ?? '', text, values }).over(client)).rows

const everyKind = `select $1::text as text, $2::int as int, $3::bigint as bigint, $4::timestamptz as at, $5::jsonb as json,
  $6::text[] as list, $7::bytea as bytes, $8::boolean as flag, null::text as nothing`

it('rows equal those of the driver at the first and later executions', async () => {
  const values = [
    'é',
    7,
    '9007199254740991',
    '2026-11-17T12:00:00.5Z',
    { a: [1] },
    ['x', 'y"z'],
    Buffer.from([0, 255]),
    true,
  ]
  const { rows } = await client.query(everyKind, values)
  expect(await ask(everyKind, values)).toEqual(rows)
  const again = await ask(everyKind, values)
  expect(again).toEqual(rows)
  expect(Object.keys(again[0] ?? {})).toEqual(Object.keys(rows[0]))
  // Read by the driver, and by the first of the two.
  expect(described).toBe(2)
})

it.each(['2026-11-17T12:00:00Z', '2026-11-17T12:00:00.123456Z', '9999-12-31T23:59:59.9Z'])(
  'the time %s',
  async (moment) => {
    const [row] = await ask('select $1::timestamptz as at', [moment])
    const [whole, fraction = ''] = moment.slice(0, -1).split('.')
    expect(row).toEqual({ at: `${whole}.${fraction.padEnd(6, '0')}Z` })
  },
)

it('a null does not keep the value of the previous row', async () => {
  const text = 'select nullif(n, 2) as n from generate_series(1, $1::int) n'
  for (const count of [3, 2])
    expect(await ask(text, [count])).toEqual([{ n: 1 }, { n: null }, { n: 3 }].slice(0, count))
})

it('the last of two columns with the same name counts, also when it is null', async () => {
  const text = 'select $1::int as n, null::int as n'
  const { rows } = await client.query(text, [1])
  expect(rows).toEqual([{ n: null }])
  for (const _again of [1, 2]) expect(await ask(text, [1])).toEqual(rows)
})

it('statements without rows', async () => {
  await client.query('create temporary table notes (id int primary key)')
  for (const id of [1, 2]) expect(await ask('insert into notes values ($1::int)', [id])).toEqual([])
  expect(await ask('select id from notes where id > $1::int order by id', [0])).toEqual([{ id: 1 }, { id: 2 }])
})

it('many executions before the first result', async () => {
  const text = 'select $1::int + 1 as sum'
  const sums = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(text, [n])))
  expect(sums.flat()).toEqual(Array.from({ length: 20 }, (_, n) => ({ sum: n + 1 })))
})

it('a failure is thrown and the next statement works', async () => {
  const text = 'select 6 / $1::int as part'
  await expect(ask(text, [0])).rejects.toMatchObject({ code: '22012' })
  expect(await ask(text, [2])).toEqual([{ part: 3 }])
  await expect(ask(text, [0])).rejects.toMatchObject({ code: '22012' })
  await expect(ask(text, ['x'])).rejects.toMatchObject({ code: '22P02' })
  expect(await ask(text, [3])).toEqual([{ part: 2 }])
  await expect(ask('select nonsense', [])).rejects.toMatchObject({ code: '42703' })
})

it('a value that cannot be encoded is rejected before anything is sent', async () => {
  const circle: { self?: object } = {}
  circle.self = circle
  await expect(ask('select $1::jsonb as value', [circle])).rejects.toThrow(/circular/i)
  expect(await ask('select $1::jsonb as value', [{}])).toEqual([{ value: {} }])
})
