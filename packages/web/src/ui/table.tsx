// Tables: sticky header, rows opened by mouse or keyboard, only the visible rows in the document, more at the end.
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import type { Listed } from '../api/list.ts'
import { classes } from './classes.ts'
import { ProblemNote, SkeletonRows } from './page.tsx'

export type Column<T> = {
  id: string
  header: string
  cell: (row: T) => ReactNode
  /** A width of the grid: pixels, or a share such as `2fr`. */
  width?: string
  /** Not shown on narrow screens. */
  wide?: boolean
  /** The field the server sorts by. */
  sort?: string
  end?: boolean
}

export type Sort = { field: string; dir: 'asc' | 'desc' }

type TableProps<T> = {
  label: string
  list: Listed<T>
  columns: readonly Column<T>[]
  rowKey: (row: T) => string
  onOpen?: (row: T) => void
  empty: ReactNode
  sort?: Sort
  onSort?: (sort: Sort) => void
  /** Takes the height of its parent and scrolls inside. */
  fill?: boolean
}

const rowHeight = 40

const template = <T,>(columns: readonly Column<T>[]): string =>
  columns.map(({ width = '1fr' }) => (width.endsWith('fr') ? `minmax(0, ${width})` : width)).join(' ')

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
      className={classes('truncate', column.wide && 'max-md:hidden', column.end && 'text-right')}
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
        column.header || <span className="sr-only">More</span>
      )}
    </div>
  )
}

/** Up and down move between rows; Enter opens, as a click does. */
const moveOrOpen = (event: KeyboardEvent<HTMLElement>, open: (() => void) | undefined): void => {
  if (event.target !== event.currentTarget) return
  if (event.key === 'Enter' && open) {
    event.preventDefault()
    open()
  }
  const next =
    event.key === 'ArrowDown' || event.key === 'j'
      ? event.currentTarget.nextElementSibling
      : event.key === 'ArrowUp' || event.key === 'k'
        ? event.currentTarget.previousElementSibling
        : null
  if (!(next instanceof HTMLElement)) return
  event.preventDefault()
  next.focus()
}

export const Table = <T,>({
  label,
  list,
  columns,
  rowKey,
  onOpen,
  empty,
  sort,
  onSort,
  fill = false,
}: TableProps<T>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const { items, more } = list
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: fill,
  })
  const rows = virtual.getVirtualItems()
  const lastShown = rows.at(-1)?.index ?? -1
  useEffect(() => {
    if (fill && more && lastShown >= items.length - 10) more()
  }, [fill, more, lastShown, items.length])

  if (list.error && items.length === 0) return <ProblemNote error={list.error} retry={list.refetch} />
  if (list.isLoading) return <SkeletonRows />
  if (items.length === 0) return empty

  const narrow = columns.filter(({ wide }) => !wide)
  const style = { '--wide': template(columns), '--narrow': template(narrow) } as React.CSSProperties
  const grid =
    'grid items-center gap-3 px-3 [grid-template-columns:var(--narrow)] md:[grid-template-columns:var(--wide)]'
  const shown = fill
    ? rows.map(({ index, start }) => ({ index, start }))
    : items.map((_, index) => ({ index, start: 0 }))
  return (
    <div
      ref={scroller}
      role="table"
      aria-label={label}
      aria-rowcount={list.total || items.length}
      className={classes(fill && 'min-h-0 grow overflow-y-auto')}
      style={style}
    >
      <div role="rowgroup" className="sticky top-0 z-10 bg-surface">
        <div role="row" className={classes(grid, 'h-8 border-b text-[12px] text-faint')}>
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
          ))}
        </div>
      </div>
      <div role="rowgroup" className="relative" style={fill ? { height: virtual.getTotalSize() } : undefined}>
        {shown.map(({ index, start }) => {
          const row = items[index]
          if (row === undefined) return null
          const open = onOpen ? () => onOpen(row) : undefined
          return (
            <div
              key={rowKey(row)}
              role="row"
              aria-rowindex={index + 2}
              tabIndex={onOpen ? 0 : -1}
              onClick={(event) => {
                if (!(event.target as HTMLElement).closest('a,button,input')) open?.()
              }}
              onKeyDown={(event) => moveOrOpen(event, open)}
              className={classes(
                grid,
                'h-10 border-b last:border-b-0 focus-visible:-outline-offset-2',
                onOpen && 'cursor-pointer hover:bg-hover',
                fill && 'absolute inset-x-0 top-0',
              )}
              style={fill ? { transform: `translateY(${start}px)` } : undefined}
            >
              {columns.map(({ id, cell, wide, end }) => (
                <div
                  key={id}
                  role="cell"
                  className={classes('min-w-0 truncate', wide && 'max-md:hidden', end && 'text-right')}
                >
                  {cell(row)}
                </div>
              ))}
            </div>
          )
        })}
      </div>
      {!fill && more ? (
        <div className="border-t p-2 text-center">
          <button type="button" className="rounded px-3 py-1 text-accent hover:bg-hover" onClick={more}>
            Show more
          </button>
        </div>
      ) : null}
    </div>
  )
}
