// The selected rows of a table: a checkbox in each row, which the arrow keys move between.
import { useMemo, useState } from 'react'
import { uiStrings } from './strings.ts'
import type { Column } from './table.tsx'

export type Selection<T> = {
  rows: ReadonlyMap<string, T>
  set: (rows: readonly T[], isSelected: boolean) => void
  clear: () => void
  max: number
}

type Identified = { id: string }
type ListSelection<T> = { list: string; rows: ReadonlyMap<string, T> }

/** Pure: the rows with the change; rows beyond the maximum are left out. */
export const withSelected = <T extends Identified>(
  selected: ReadonlyMap<string, T>,
  rows: readonly T[],
  isSelected: boolean,
  max: number,
): ReadonlyMap<string, T> => {
  const next = new Map(selected)
  for (const row of rows) {
    if (!isSelected) next.delete(row.id)
    else if (next.size < max) next.set(row.id, row)
  }
  return next
}

/** Rows stay selected while they are scrolled out of view, until `list`, which identifies the list, changes. */
export const useSelection = <T extends Identified>(list: string, max: number): Selection<T> => {
  const [selected, setSelected] = useState<ListSelection<T>>({ list, rows: new Map() })
  const rows = useMemo(() => (selected.list === list ? selected.rows : new Map<string, T>()), [selected, list])
  return useMemo(
    () => ({
      rows,
      max,
      set: (changed, isSelected) =>
        setSelected((before) => ({
          list,
          rows: withSelected(before.list === list ? before.rows : new Map(), changed, isSelected, max),
        })),
      clear: () => setSelected({ list, rows: new Map() }),
    }),
    [list, rows, max],
  )
}

export const selectionColumn = <T extends Identified>(
  { rows, set, max }: Selection<T>,
  nameOf: (row: T) => string,
): Column<T> => ({
  id: 'selection',
  header: uiStrings.select,
  hidesHeader: true,
  width: '20px',
  cell: (row) => (
    <label className="relative z-1 flex size-6 items-center">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        aria-label={uiStrings.selectThing(nameOf(row))}
        checked={rows.has(row.id)}
        disabled={!rows.has(row.id) && rows.size >= max}
        onChange={({ target }) => set([row], target.checked)}
      />
    </label>
  ),
})
