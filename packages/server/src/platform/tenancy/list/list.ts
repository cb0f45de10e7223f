// The list engine: filters, search, multi-column sort and keyset cursors in both directions for any query. Access is
// not its concern: the given query is already restricted to visible rows.
import type { ListRequest, Notice, Page } from '@millrace/contract/common'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { fail } from '../../core/errors.ts'
import type { Db } from '../../db/database.ts'
import type { Database } from '../../db/schema.gen.ts'
import { asKind } from '../../fairness/work.ts'
import { countMatches } from './count.ts'
import { type Cursor, decodeCursor, encodeCursor } from './cursor.ts'
import { filterPredicate, searchPredicate, unknownOperator } from './filters.ts'
import { afterCursor, type OrderKey, orderBy, orderKeys } from './keyset.ts'
import { defaultLimit, type ListSpec, maxLimit, ofField, type SortKey, sizeOfRow } from './spec.ts'

/** Maximum size of a response with `limit: -1`. */
const everythingBytes = 8 * 2 ** 20
const batchRows = 200
/** A page ends when it exceeds this size, because the server holds several copies in memory. */
const pageBytes = 16 * 2 ** 20

const defaultSort: readonly SortKey[] = [{ field: 'created_at', dir: 'desc' }]

export type ListOptions<Row, Item> = {
  db: Db
  spec: ListSpec
  request: ListRequest
  /** Converts a row to an item. */
  toItem: (row: Row) => Item
  /** Size of additional data that is read for the item of a row. */
  besides?: RawBuilder<number>
  notice: (notice: Notice) => void
}

export const runList = <TB extends keyof Database, Row extends object, Item extends { id: string }>(
  query: SelectQueryBuilder<Database, TB, Row>,
  options: ListOptions<Row, Item>,
): Promise<Page<Partial<Item>>> => asKind('list', () => readPage(query, options))

const readPage = async <TB extends keyof Database, Row extends object, Item extends { id: string }>(
  query: SelectQueryBuilder<Database, TB, Row>,
  { db, spec, request, toItem, notice, besides }: ListOptions<Row, Item>,
): Promise<Page<Partial<Item>>> => {
  const matching = applySearch(applyFilters(query, spec, request), spec, request)
  const sort: readonly SortKey[] = request.sort?.length
    ? request.sort.map(({ field, dir }) => ({ field, dir: dir ?? 'asc' }))
    : (spec.defaultSort ?? defaultSort)
  const itemOf = (row: Row) => project(toItem(row), request.fields)
  if (request.limit === -1) {
    const keys = orderKeys(spec, sort, true)
    return readEverything(reader({ db, matching, keys, besides }, true), keys.length, itemOf)
  }

  const forward = request.direction !== 'backward' && request.direction !== 'prev'
  const keys = orderKeys(spec, sort, forward)
  const limit = pageSize(spec, request.limit)
  const cursorText = request.cursor ?? ''
  const cursor = cursorText === '' ? null : decodeCursor(sort, cursorText)
  if (cursorText !== '' && cursor === null) throw fail('invalid_request', 'The cursor is not valid for this sort')

  const skipped = cursor ? 0 : ((request.page ?? 1) - 1) * limit
  const read = await reader({ db, matching, keys, besides }, forward)(cursor, limit + 1, skipped)
  const rows = read.rows.slice(0, limit)
  const more = read.isCut || read.rows.length > limit
  if (rows.length < limit && read.isCut) notice(cutNotice(rows.length))
  if (!forward) rows.reverse()

  const hasNext = forward ? more : cursor !== null
  const hasPrevious = forward ? cursor !== null || skipped > 0 : more
  const edge = (row: Row | undefined): string => (row ? encodeCursor(sort, cursorOf(row, keys.length)) : '')
  const complete = cursor === null && skipped === 0 && !more
  return {
    items: rows.map(itemOf),
    next_cursor: hasNext ? edge(rows.at(-1)) : '',
    prev_cursor: hasPrevious ? edge(rows[0]) : '',
    has_next: hasNext && rows.length > 0,
    has_previous: hasPrevious && rows.length > 0,
    items_per_page: limit,
    total_items: complete ? rows.length : await countMatches(db, matching, notice),
  }
}

const cutNotice = (count: number): Notice => ({
  level: 'warning',
  code: 'page_too_large',
  message: `The page ends after ${count} items because of its size; continue with next_cursor`,
})

/** `isCut`: there are more rows, although fewer than the limit were returned. */
type ReadRows<Row> = (
  cursor: Cursor | null,
  count: number,
  skipped?: number,
) => Promise<{ rows: Row[]; isCut: boolean }>

type Reading<TB extends keyof Database, Row> = {
  db: Db
  matching: SelectQueryBuilder<Database, TB, Row>
  keys: readonly OrderKey[]
  besides: RawBuilder<number> | undefined
}

const reader = <TB extends keyof Database, Row extends object>(
  { db, matching, keys, besides }: Reading<TB, Row>,
  forward: boolean,
): ReadRows<Row> => {
  let ordered = matching
  for (const [index, key] of keys.entries()) {
    ordered = ordered.select(sql.ref(key.column.ref).as(`__sort_${index}`)) as typeof ordered
    ordered = ordered.orderBy(orderBy(key, forward))
  }
  if (besides) ordered = ordered.select(besides.as('__besides')) as typeof ordered
  const size = besides ? sql`${sizeOfRow('listed')} + coalesce(listed.__besides, 0)` : sizeOfRow('listed')
  return async (cursor, count, skipped = 0) => {
    let page = ordered.limit(count)
    if (cursor) page = page.where(afterCursor(keys, cursor, forward))
    if (skipped > 0) page = page.offset(skipped)
    // The size of large values is computed without sending them. The sum follows the page's order.
    const { rows } = await sql<Row & { __found: number }>`
      select * from (
        select listed.*, count(*) over () as __found,
          sum(${size}) over (rows between unbounded preceding and 1 preceding) as __before
        from (${page}) listed) sized
      where coalesce(__before, 0) <= ${pageBytes}`.execute(db)
    return { rows, isCut: rows.length < Number(rows[0]?.__found ?? 0) }
  }
}

/** Reads in batches, so that neither the database nor the event loop handles more than the maximum size at once. */
const readEverything = async <Row extends object, Item>(
  read: ReadRows<Row>,
  keyCount: number,
  itemOf: (row: Row) => Item,
): Promise<Page<Item>> => {
  const items: Item[] = []
  let bytes = 0
  for (let cursor: Cursor | null = null; ; ) {
    const { rows, isCut } = await read(cursor, batchRows)
    for (const row of rows) {
      const item = itemOf(row)
      bytes += JSON.stringify(item).length
      if (bytes > everythingBytes) throw tooMuch()
      items.push(item)
    }
    const last = rows.at(-1)
    if ((!isCut && rows.length < batchRows) || !last) break
    cursor = cursorOf(last, keyCount)
  }
  const none = { next_cursor: '', prev_cursor: '', has_next: false, has_previous: false }
  return { items, ...none, items_per_page: items.length, total_items: items.length }
}

const tooMuch = () =>
  fail(
    'validation_error',
    `limit: -1 would return more than ${everythingBytes / 2 ** 20} MiB; request pages with next_cursor, or fewer fields`,
  )

const pageSize = (spec: ListSpec, requested: number | undefined): number => {
  if (requested === undefined || requested === 0) return spec.defaultLimit ?? defaultLimit
  if (requested < -1) throw fail('validation_error', 'limit must be -1 or a positive number')
  return Math.min(requested, spec.maxLimit ?? maxLimit)
}

const applyFilters = <TB extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, TB, Row>,
  spec: ListSpec,
  request: ListRequest,
): SelectQueryBuilder<Database, TB, Row> => {
  let narrowed = query
  for (const { field, operator = 'eq', value } of request.filters ?? []) {
    const custom = ofField(spec.custom, field)
    if (custom) {
      const predicate = custom(operator, value)
      if (!predicate) throw unknownOperator(field, operator)
      narrowed = narrowed.where(predicate)
      continue
    }
    const column = ofField(spec.columns, field)
    if (!column) throw fail('validation_error', `Invalid sort or filter field: ${field}`)
    narrowed = narrowed.where(filterPredicate(field, column, operator, value))
  }
  return narrowed
}

/** Unknown search fields are ignored; without any field the search is skipped. */
const applySearch = <TB extends keyof Database, Row>(
  query: SelectQueryBuilder<Database, TB, Row>,
  spec: ListSpec,
  request: ListRequest,
): SelectQueryBuilder<Database, TB, Row> => {
  const { term, fields, exact = false } = request.search ?? {}
  if (term === undefined || term === '') return query
  if (term.includes('\0')) throw fail('validation_error', 'search.term must not contain NUL characters')
  const wanted = fields?.length ? spec.search.filter((field) => fields.includes(field)) : spec.search
  const refs = wanted.flatMap((field) => spec.columns[field]?.ref ?? [])
  return refs.length === 0 ? query : query.where(searchPredicate(refs, term, exact))
}

const cursorOf = (row: object, keyCount: number) => {
  const sorted = Array.from({ length: keyCount }, (_, index) => (row as Record<string, unknown>)[`__sort_${index}`])
  return { values: sorted.slice(0, -1) as (string | number | boolean | null)[], id: String(sorted.at(-1)) }
}

const project = <Item extends { id: string }>(item: Item, fields: readonly string[] | undefined): Partial<Item> => {
  if (!fields?.length) return item
  const keep = new Set(['id', ...fields])
  return Object.fromEntries(Object.entries(item).filter(([name]) => keep.has(name))) as Partial<Item>
}
