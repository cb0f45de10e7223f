// Tables: sticky header, rows opened by mouse or keyboard, more at the end. `long-table.tsx` shows lists of any length.
import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, memo, type ReactNode } from 'react'
import type { Listed } from '../api/list.ts'
import { classes } from './classes.ts'
import { ProblemNote, Skeleton, SkeletonRows } from './page.tsx'
import { uiStrings } from './strings.ts'

export type Column<T> = {
  id: string
  header: string
  /** The header is for screen readers only. */
  hidesHeader?: boolean
  cell: (row: T) => ReactNode
  /** A grid width: pixels or a fraction such as `2fr`. */
  width?: string
  /** Hidden on narrow screens. */
  wide?: boolean
  /** A status, shown as an icon only on narrow screens. */
  mark?: boolean
  /** The field the server sorts by. */
  sort?: string
  end?: boolean
  /** The name of the row, which is the text of its link. Default: the first column. */
  main?: boolean
}

/** Where a row leads, for example `linkOptions({ to: '/runs/$id', params: { id } })`. */
export type RowLink = Pick<LinkProps, 'to' | 'params' | 'search'>

export type Sort = { field: string; dir: 'asc' | 'desc' }

/** The appearance of a table of any length. */
export type TableLook<T> = {
  label: string
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  /** For rows that open in a dialog. */
  onOpen?: (row: T) => void
  /** For rows that are pages: a link over the whole row, which opens in a new tab and can be copied. */
  linkOf?: (row: T) => RowLink
  empty: ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
}

const grid = 'grid items-center gap-3 px-3 [grid-template-columns:var(--narrow)] md:[grid-template-columns:var(--wide)]'

const template = <T,>(columns: readonly Column<T>[]): string =>
  columns.map(({ width = '1fr' }) => (width.endsWith('fr') ? `minmax(0, ${width})` : width)).join(' ')

const onNarrow = <T,>(columns: readonly Column<T>[]): Column<T>[] =>
  columns.filter(({ wide }) => !wide).map((column) => (column.mark ? { ...column, width: '1rem' } : column))

/** Widths of the columns, for the rows inside. */
export const widthsOf = <T,>(columns: readonly Column<T>[]): CSSProperties =>
  ({ '--wide': template(columns), '--narrow': template(onNarrow(columns)) }) as CSSProperties

const HeaderCell = <T,>({
  column,
  sort,
  onSort,
}: {
  column: Column<T>
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}) => {
  const { sort: field } = column
  const sorted = field !== undefined && sort?.field === field ? sort.dir : undefined
  const Icon = sorted === 'asc' ? ArrowUp : ArrowDown
  return (
    <div
      role="columnheader"
      aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
      className={classes(
        'truncate',
        column.wide && 'max-md:hidden',
        column.mark && 'max-md:invisible',
        column.end && 'text-right',
      )}
    >
      {field !== undefined && onSort ? (
        <button
          type="button"
          className="inline-flex items-center gap-1 hover:text-ink"
          onClick={() => onSort({ field, dir: sorted === 'desc' ? 'asc' : 'desc' })}
        >
          {column.header}
          {sorted ? <Icon className="size-3" aria-hidden /> : null}
        </button>
      ) : (
        <span className={column.hidesHeader || column.header === '' ? 'sr-only' : undefined}>
          {column.header || uiStrings.more}
        </span>
      )}
    </div>
  )
}

const neighborRow = (row: Element, key: string): Element | null => {
  if (key === 'ArrowDown' || key === 'j') return row.nextElementSibling
  if (key === 'ArrowUp' || key === 'k') return row.previousElementSibling
  return null
}

const controlsIn = (row: Element): HTMLElement[] => [
  ...row.querySelectorAll<HTMLElement>('a[href],button:enabled,input:enabled'),
]

/** Up and Down move between rows, and from a link, button or checkbox to the same one in the next row; Enter opens the row. */
const moveOrOpen = (event: KeyboardEvent<HTMLElement>, open: (() => void) | undefined): void => {
  const { target, currentTarget: row, key } = event
  const control = target === row ? -1 : controlsIn(row).indexOf(target as HTMLElement)
  if (target !== row && control === -1) return
  if (key === 'Enter' && open && target === row) {
    event.preventDefault()
    open()
  }
  const neighbor = neighborRow(row, key)
  const next = neighbor && control !== -1 ? (controlsIn(neighbor)[control] ?? neighbor) : neighbor
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

export const HeaderRow = <T,>({ columns, sort, onSort }: Pick<TableLook<T>, 'columns' | 'sort' | 'onSort'>) => (
  <div role="rowgroup" className="sticky top-0 z-10 bg-surface">
    <div role="row" className={classes(grid, 'h-8 border-b text-[12px] text-faint')}>
      {columns.map((column) => (
        <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
      ))}
    </div>
  </div>
)

type RowProps<T> = Pick<TableLook<T>, 'columns' | 'onOpen' | 'linkOf'> & {
  /** Absent while it is loading. */
  row: T | undefined
  index: number
  /** Its position, in a table that renders only visible rows. */
  top?: number
}

/** Covers the row. Other links, controls and texts with a tooltip stay above it. */
const rowLink =
  'after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2'
const aboveLink =
  '[&_:is(a:not([data-row]),button,input,[title])]:relative [&_:is(a:not([data-row]),button,input,[title])]:z-1'

const Cell = <T,>({ column, row, link }: { column: Column<T>; row: T; link: RowLink | undefined }) =>
  link === undefined ? (
    column.cell(row)
  ) : (
    <Link {...link} data-row className={rowLink}>
      {column.cell(row)}
    </Link>
  )

const OneRow = <T,>({ columns, onOpen, linkOf, row, index, top }: RowProps<T>) => {
  const open = onOpen && row !== undefined ? () => onOpen(row) : undefined
  const link = linkOf && row !== undefined ? linkOf(row) : undefined
  const main = (columns.find((column) => column.main) ?? columns[0])?.id
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      tabIndex={open ? 0 : -1}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a,button,input')) open?.()
      }}
      onKeyDown={(event) => moveOrOpen(event, open)}
      className={classes(
        grid,
        'h-10 border-b last:border-b-0 focus-visible:-outline-offset-2',
        open && 'cursor-pointer',
        (open || link) && 'hover:bg-hover',
        linkOf && aboveLink,
        top === undefined ? 'relative' : 'absolute inset-x-0 top-0',
      )}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
    >
      {columns.map((column) => (
        <div
          key={column.id}
          role="cell"
          className={classes(
            'min-w-0 truncate',
            column.wide && 'max-md:hidden',
            column.mark && 'max-md:[&_svg+span]:sr-only',
            column.end && 'text-right',
          )}
        >
          {row === undefined ? (
            <Skeleton className="h-4" />
          ) : (
            <Cell column={column} row={row} link={column.id === main ? link : undefined} />
          )}
        </div>
      ))}
    </div>
  )
}

/** Memoized, so that visible rows are not rendered again when others arrive. */
export const Row = memo(OneRow) as typeof OneRow

export const Table = <T,>({
  label,
  list,
  columns,
  rowKey,
  onOpen,
  linkOf,
  empty,
  sort,
  onSort,
}: TableLook<T> & { list: Listed<T> }) => {
  const { items, more } = list
  if (list.error && items.length === 0) return <ProblemNote error={list.error} retry={list.refetch} />
  if (list.isLoading) return <SkeletonRows />
  if (items.length === 0) return empty
  return (
    <div role="table" aria-label={label} aria-rowcount={list.total || items.length} style={widthsOf(columns)}>
      <HeaderRow columns={columns} sort={sort} onSort={onSort} />
      <div role="rowgroup">
        {items.map((row, index) => (
          <Row key={rowKey(row)} columns={columns} onOpen={onOpen} linkOf={linkOf} row={row} index={index} />
        ))}
      </div>
      {more ? (
        <div className="border-t p-2 text-center">
          <button type="button" className="rounded px-3 py-1 text-accent hover:bg-hover" onClick={more}>
            Show more
          </button>
        </div>
      ) : null}
    </div>
  )
}
