// The sort order of a table, stored in the address. Columns that the server cannot sort have none.
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sort } from './table.tsx'

/** The order named by an address, or the default of the list. Pure. */
export const sortIn = (own: Sort, named: string | undefined): Sort => {
  const [, field, dir] = /^([a-z_]{1,64}):(asc|desc)$/.exec(named ?? '') ?? []
  return field === undefined ? own : { field, dir: dir === 'asc' ? 'asc' : 'desc' }
}

/** The name of an order in the address; the default order has none. Pure. */
export const sortNamed = (own: Sort, { field, dir }: Sort): string | undefined =>
  field === own.field && dir === own.dir ? undefined : `${field}:${dir}`

export const useSort = (field: string, dir: Sort['dir']) => {
  const { sort: named } = useSearch({ strict: false })
  const navigate = useNavigate()
  const own = { field, dir }
  const onSort = (next: Sort) =>
    void navigate({
      to: '.',
      search: (previous) => ({ ...previous, sort: sortNamed(own, next) }),
      replace: true,
      resetScroll: false,
    })
  return { sort: sortIn(own, named), onSort }
}
