// The order of a table, kept in the address: that of its list, or that of the column that was chosen. A field that the server
// does not sort by, it says itself.
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sort } from './table.tsx'

/** The order that an address names; the list's own where it names none. Pure. */
export const sortIn = (own: Sort, named: string | undefined): Sort => {
  const [, field, dir] = /^([a-z_]{1,64}):(asc|desc)$/.exec(named ?? '') ?? []
  return field === undefined ? own : { field, dir: dir === 'asc' ? 'asc' : 'desc' }
}

/** How the address names an order; the list's own is the page itself. Pure. */
export const sortNamed = (own: Sort, { field, dir }: Sort): string | undefined =>
  field === own.field && dir === own.dir ? undefined : `${field}:${dir}`

export const useSort = (field: string, dir: Sort['dir']) => {
  const { sort: named } = useSearch({ strict: false })
  const navigate = useNavigate()
  const own = { field, dir }
  const onSort = (next: Sort) =>
    void navigate({
      to: '.',
      search: (held) => ({ ...held, sort: sortNamed(own, next) }),
      replace: true,
      resetScroll: false,
    })
  return { sort: sortIn(own, named), onSort }
}
