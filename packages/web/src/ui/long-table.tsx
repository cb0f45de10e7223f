// A table that fills its parent and scrolls inside, for lists of any length: only visible rows are rendered, and rows
// that are loading keep their place.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { type LongList, pageRows } from '../api/long-list.ts'
import { ProblemNote, SkeletonRows } from './page.tsx'
import { HeaderRow, Row, type TableLook, widthsOf } from './table.tsx'

const rowHeight = 40
/** Rows prefetched on both sides of the visible ones. */
const ahead = 40

export const LongTable = <T,>({
  label,
  list,
  columns,
  rowKey,
  onOpen,
  linkOf,
  empty,
  sort,
  onSort,
}: TableLook<T> & { list: LongList<T> }) => {
  const scroller = useRef<HTMLDivElement>(null)
  const { length, onVisibleRows, requestKey, error, refetch } = list
  const virtual = useVirtualizer({
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const rows = virtual.getVirtualItems()
  const first = Math.max(0, (rows[0]?.index ?? 0) - ahead)
  const last = Math.max(0, Math.min(length - 1, (rows.at(-1)?.index ?? 0) + ahead))
  useEffect(() => onVisibleRows(first, last), [onVisibleRows, first, last])
  const shown = useRef(requestKey)
  useEffect(() => {
    // Another list starts at its first row; the first list keeps its restored position.
    if (scroller.current && shown.current !== requestKey) scroller.current.scrollTop = 0
    shown.current = requestKey
  }, [requestKey])

  if (error && length === 0) return <ProblemNote error={error} retry={refetch} />
  if (list.isLoading) return <SkeletonRows />
  if (length === 0) return empty
  return (
    <>
      {error ? <ProblemNote error={error} retry={refetch} /> : null}
      <div
        ref={scroller}
        role="table"
        data-scroll-restoration-id="list"
        aria-label={label}
        aria-rowcount={length}
        className="min-h-0 grow overflow-y-auto"
        style={widthsOf(columns)}
      >
        <HeaderRow columns={columns} sort={sort} onSort={onSort} />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const row = list.rowAt(index)
            return (
              <Row
                // Pages may come from different moments, so a row can appear in two of them.
                key={row === undefined ? index : `${Math.floor(index / pageRows)} ${rowKey(row)}`}
                columns={columns}
                onOpen={onOpen}
                linkOf={linkOf}
                row={row}
                index={index}
                top={start}
              />
            )
          })}
        </div>
      </div>
    </>
  )
}
