// Guarantees: paging with cursors in either direction and any order returns every matching row exactly once and in
// order; filters, search and projections work as documented; columns that are not on the allow-list are rejected by
// name.
import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../../testing/random-values.ts'
import { createWorld, type World } from '../../../testing/world.ts'

type Row = { id: string; status: number; function: string; session_id: string | null; created_at: string }

let world: World
const rows: Row[] = []

beforeAll(async () => {
  world = await createWorld()
  const random = createRandom(7)
  for (let index = 0; index < 230; index += 1)
    rows.push({
      id: newId(),
      status: random.pick([2, 7, 10, 11]),
      // Few distinct values, so that ties are common and the id must break them.
      function: random.pick(['run', 'count', 'words', 'a%b', 'a_b', 'Ünï']),
      session_id: random.chance(0.4) ? null : random.pick(['s1', 's2', 's3']),
      created_at: new Date(1.75e12 + random.below(40) * 1000).toISOString(),
    })
  await world.open.platform.db
    .insertInto('tasks')
    .values(
      rows.map((row) => ({
        ...row,
        team_id: world.team.id,
        user_id: world.people.owner.userId,
        visibility: 'team',
        input: '{}',
      })),
    )
    .execute()
})
afterAll(() => world?.close())

type Sort = { field: keyof Row; dir: 'asc' | 'desc' }[]

/** The expected order, computed without SQL: nulls last in both directions, then by id in the last direction. */
const sorted = (sort: Sort, from: readonly Row[] = rows): string[] => {
  const keys = [...sort, { field: 'id' as const, dir: sort.at(-1)?.dir ?? 'desc' }]
  return [...from]
    .sort((a, b) => {
      for (const { field, dir } of keys) {
        const [x, y] = [a[field], b[field]]
        if (x === y) continue
        if (x === null) return 1
        if (y === null) return -1
        return (x < y ? -1 : 1) * (dir === 'asc' ? 1 : -1)
      }
      return 0
    })
    .map((row) => row.id)
}

const list = (body: object) => world.call('owner', 'POST /tasks/list', { body })

const walk = async (sort: Sort, limit: number, direction: string): Promise<string[]> => {
  const ids: string[] = []
  let cursor = ''
  for (let page = 0; page < 500; page += 1) {
    const { data, status, text } = await list({ sort, limit, direction, ...(cursor === '' ? {} : { cursor }) })
    expect(status, text).toBe(200)
    const items = (data.items as Row[]).map((item) => item.id)
    const forward = direction === 'forward' || direction === 'next'
    if (forward) ids.push(...items)
    else ids.unshift(...items)
    const more = forward ? data.has_next : data.has_previous
    cursor = forward ? data.next_cursor : data.prev_cursor
    if (!more) return ids
  }
  throw new Error('The list never ended')
}

describe('paging with cursors', () => {
  const sorts: Sort[] = [
    [{ field: 'created_at', dir: 'desc' }],
    [{ field: 'status', dir: 'asc' }],
    [{ field: 'session_id', dir: 'asc' }],
    [{ field: 'session_id', dir: 'desc' }],
    [
      { field: 'function', dir: 'asc' },
      { field: 'created_at', dir: 'desc' },
    ],
    [
      { field: 'session_id', dir: 'desc' },
      { field: 'status', dir: 'asc' },
      { field: 'created_at', dir: 'asc' },
    ],
  ]
  const cases = sorts.flatMap((sort) =>
    ['forward', 'next', 'backward', 'prev'].map((direction) => ({
      name: `${sort.map(({ field, dir }) => `${field} ${dir}`).join(', ')} ${direction}`,
      sort,
      direction,
    })),
  )
  it.each(cases)('$name', async ({ sort, direction }) => {
    expect(await walk(sort, 37, direction)).toEqual(sorted(sort))
  })

  it('goes back from the middle to the first page', async () => {
    const first = await list({ limit: 20 })
    const second = await list({ limit: 20, cursor: first.data.next_cursor })
    const back = await list({ limit: 20, cursor: second.data.prev_cursor, direction: 'backward' })
    expect(back.data.items).toEqual(first.data.items)
    expect(back.data.has_next).toBe(true)
    expect(back.data.has_previous).toBe(false)
  })

  it('accepts its own cursor for a sort text of any length', async () => {
    const description = '🜍'.repeat(1000)
    for (const name of ['first', 'second'])
      await world.call('owner', 'POST /vaults', { body: { name, description: `${description.slice(2)}${name[0]}` } })
    const page = { sort: [{ field: 'description', dir: 'asc' }], limit: 1 }
    const first = await world.call('owner', 'POST /vaults/list', { body: page })
    const next = { ...page, cursor: first.data.next_cursor }
    const second = await world.call('owner', 'POST /vaults/list', { body: next })
    expect(second.data?.items, second.text).toMatchObject([{ name: 'second' }])
    const query = { ...next, sort: JSON.stringify(page.sort), limit: '1' }
    expect((await world.call('owner', 'GET /vaults', { query })).data.items).toMatchObject([{ name: 'second' }])
  })
})

describe('pages', () => {
  it('limit -1 rejects a result that is too large and says what to do', async () => {
    const { db } = world.open.platform
    const input = JSON.stringify({ text: 'x'.repeat(50_000) })
    await db.updateTable('tasks').set({ input }).execute()
    const answer = await world.call('owner', 'POST /tasks/list', { body: { limit: -1 } })
    await db.updateTable('tasks').set({ input: '{}' }).execute()
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code: 'validation_error' })
    expect(answer.json.detail).toContain('next_cursor')
  })

  it('a page ends at its size limit and the next one continues there', async () => {
    const { db } = world.open.platform
    const large = Array.from({ length: 5 }, (_, index) => ({ id: newId(), status: 10, function: 'large', index }))
    await db
      .insertInto('tasks')
      .values(
        large.map(({ index, ...row }) => ({
          ...row,
          team_id: world.team.id,
          user_id: world.people.owner.userId,
          visibility: 'team',
          // Six MiB that compress to a few hundred bytes.
          input: JSON.stringify({ text: 'x'.repeat(6 * 2 ** 20) }),
          created_at: new Date(1.76e12 + index * 1000).toISOString(),
        })),
      )
      .execute()
    const filters = [{ field: 'function', operator: 'in', value: ['large'] }]
    const idsOf = ({ data }: { data: { items: Row[] } }) => data.items.map(({ id }) => id)
    const newest = large.map(({ id }) => id).reverse()
    const first = await list({ filters })
    expect(idsOf(first)).toEqual(newest.slice(0, 3))
    expect(first.data).toMatchObject({ has_next: true, has_previous: false, total_items: 5 })
    expect(first.json.messages).toMatchObject([{ code: 'page_too_large' }])
    const second = await list({ filters, cursor: first.data.next_cursor })
    expect(idsOf(second)).toEqual(newest.slice(3))
    expect(second.data).toMatchObject({ has_next: false, has_previous: true })
    const back = await list({ filters, cursor: second.data.prev_cursor, direction: 'backward' })
    expect(idsOf(back)).toEqual(newest.slice(0, 3))
    expect(back.data.has_previous).toBe(false)
    await db.deleteFrom('tasks').where('function', '=', 'large').execute()
  })

  it('limit -1 returns all rows without cursors', async () => {
    const { data } = await list({ limit: -1 })
    expect(data.items).toHaveLength(rows.length)
    expect(data).toMatchObject({
      next_cursor: '',
      prev_cursor: '',
      has_next: false,
      has_previous: false,
      total_items: rows.length,
    })
  })
  it('counts all matches, clamps the limit and returns the page size', async () => {
    const { data } = await list({ limit: 5000 })
    expect(data).toMatchObject({ items_per_page: 100, total_items: rows.length, has_next: true })
  })
  it('page numbers work without a cursor', async () => {
    const { data } = await list({ limit: 50, page: 3 })
    expect((data.items as Row[]).map((item) => item.id)).toEqual(
      sorted([{ field: 'created_at', dir: 'desc' }]).slice(100, 150),
    )
    expect(data.has_previous).toBe(true)
  })
  it('fields select the id and the requested fields', async () => {
    const { data } = await list({ limit: 1, fields: ['status'] })
    expect(Object.keys(data.items[0]).sort()).toEqual(['id', 'status'])
  })
  it('the GET route reads JSON parameters', async () => {
    const query = {
      limit: '3',
      sort: JSON.stringify([{ field: 'status', dir: 'asc' }]),
      filters: JSON.stringify([{ field: 'status', operator: 'eq', value: 7 }]),
    }
    const { data } = await world.call('owner', 'GET /tasks', { query })
    expect((data.items as Row[]).map((item) => item.status)).toEqual([7, 7, 7])
  })
})

describe('filters', () => {
  const table: { operator: string; field: keyof Row; value?: unknown; keeps: (row: Row) => boolean }[] = [
    { operator: 'eq', field: 'status', value: 7, keeps: (row) => row.status === 7 },
    { operator: 'eq', field: 'status', value: '7', keeps: (row) => row.status === 7 },
    { operator: 'neq', field: 'session_id', value: 's1', keeps: (row) => row.session_id !== 's1' },
    {
      operator: 'in',
      field: 'function',
      value: ['run', 'words'],
      keeps: (row) => ['run', 'words'].includes(row.function),
    },
    { operator: 'in', field: 'function', value: [], keeps: () => false },
    { operator: 'in', field: 'status', value: [], keeps: () => false },
    { operator: 'not_in', field: 'created_at', value: [], keeps: () => true },
    { operator: 'not_in', field: 'session_id', value: ['s1'], keeps: (row) => row.session_id !== 's1' },
    { operator: 'gt', field: 'status', value: 7, keeps: (row) => row.status > 7 },
    { operator: 'gte', field: 'status', value: 7, keeps: (row) => row.status >= 7 },
    { operator: 'lt', field: 'status', value: 7, keeps: (row) => row.status < 7 },
    { operator: 'lte', field: 'status', value: 7, keeps: (row) => row.status <= 7 },
    { operator: 'like', field: 'function', value: 'a%', keeps: (row) => row.function.startsWith('a') },
    { operator: 'ilike', field: 'function', value: 'RU%', keeps: (row) => row.function === 'run' },
    { operator: 'contains', field: 'function', value: '%', keeps: (row) => row.function.includes('%') },
    { operator: 'not_contains', field: 'function', value: '_', keeps: (row) => !row.function.includes('_') },
    { operator: 'is_null', field: 'session_id', keeps: (row) => row.session_id === null },
    { operator: 'is_not_null', field: 'session_id', keeps: (row) => row.session_id !== null },
    { operator: 'is_empty', field: 'session_id', keeps: (row) => row.session_id === null },
    { operator: 'is_not_empty', field: 'session_id', keeps: (row) => row.session_id !== null },
    {
      operator: 'gte',
      field: 'created_at',
      value: new Date(1.75e12 + 20_000).toISOString(),
      keeps: (row) => Date.parse(row.created_at) >= 1.75e12 + 20_000,
    },
    {
      operator: 'gte',
      field: 'created_at',
      value: new Date(1.75e12 + 20_000).toISOString().slice(0, -1),
      keeps: (row) => Date.parse(row.created_at) >= 1.75e12 + 20_000,
    },
  ]
  it.each(table)('$operator on $field', async ({ operator, field, value, keeps }) => {
    const { data } = await list({ limit: -1, filters: [{ field, operator, value }] })
    expect(new Set((data.items as Row[]).map((item) => item.id))).toEqual(
      new Set(rows.filter(keeps).map((row) => row.id)),
    )
  })
  it('an empty list on an array column', async () => {
    const held = async (operator: string) => {
      const filters = [{ field: 'scopes', operator, value: [] }]
      const { status, data } = await world.call('owner', 'POST /apikeys/list', { body: { limit: -1, filters } })
      return { status, count: data.items.length }
    }
    const { data } = await world.call('owner', 'POST /apikeys', { body: { name: 'listed', scopes: ['apps:read'] } })
    expect(data.scopes).toEqual(['apps:read'])
    expect(await held('in')).toEqual({ status: 200, count: 0 })
    expect((await held('not_in')).count).toBeGreaterThan(0)
  })
  it('search finds case-insensitive substrings and treats wildcards as text', async () => {
    const { data } = await list({ limit: -1, search: { term: 'A%B' } })
    expect(data.items).toHaveLength(rows.filter((row) => row.function === 'a%b').length)
  })
  it('unknown search fields are ignored, and without any field the search is skipped', async () => {
    const { data } = await list({ limit: -1, search: { term: 'zzz', fields: ['no_such'] } })
    expect(data.items).toHaveLength(rows.length)
  })
})

describe('invalid requests', () => {
  const refused: { claim: string; body: object; code: string; detail?: RegExp }[] = [
    {
      claim: 'an unknown filter column',
      body: { filters: [{ field: 'nope', operator: 'eq', value: 1 }] },
      code: 'validation_error',
      detail: /Invalid sort or filter field: nope/,
    },
    { claim: 'an unknown sort column', body: { sort: [{ field: 'nope' }] }, code: 'validation_error', detail: /nope/ },
    ...['constructor', '__proto__', 'toString'].flatMap((field) => [
      {
        claim: `a filter by ${field}, which every object has`,
        body: { filters: [{ field, operator: 'eq', value: 1 }] },
        code: 'validation_error',
      },
      { claim: `a sort by ${field}`, body: { sort: [{ field, dir: 'asc' }] }, code: 'validation_error' },
    ]),
    {
      claim: 'an unknown operator',
      body: { filters: [{ field: 'status', operator: 'near', value: 1 }] },
      code: 'validation_error',
      detail: /near/,
    },
    {
      claim: 'a value of the wrong type',
      body: { filters: [{ field: 'status', operator: 'gt', value: 'many' }] },
      code: 'validation_error',
      detail: /status/,
    },
    {
      claim: 'a day that does not exist',
      body: { filters: [{ field: 'created_at', operator: 'gt', value: '2026-02-31' }] },
      code: 'validation_error',
      detail: /created_at/,
    },
    { claim: 'a broken cursor', body: { cursor: 'nonsense' }, code: 'invalid_request' },
    { claim: 'a negative limit', body: { limit: -2 }, code: 'validation_error' },
  ]
  it.each(refused)('$claim', async ({ body, code, detail }) => {
    const answer = await list(body)
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code })
    if (detail) expect(answer.json.detail).toMatch(detail)
  })
  it('a cursor with an impossible time', async () => {
    const { next_cursor } = (await list({ limit: 2 })).data
    const forged = Buffer.from(next_cursor, 'base64url')
      .toString()
      .replace(/\d{4}-\d\d-\d\dT/, '2026-02-31T')
    const answer = await list({ limit: 2, cursor: Buffer.from(forged).toString('base64url') })
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code: 'invalid_request' })
  })
  it('a cursor made under another sort', async () => {
    const first = await list({ limit: 2 })
    const answer = await list({ limit: 2, cursor: first.data.next_cursor, sort: [{ field: 'status', dir: 'asc' }] })
    expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code: 'invalid_request' })
  })
})
