// The order of a table whose address does not hold it: that of its list, and that of the column that was chosen.
import { useState } from 'react'
import type { Sort } from './table.tsx'

export const useSort = (field: string, dir: Sort['dir']) => {
  const [sort, onSort] = useState<Sort>({ field, dir })
  return { sort, onSort }
}
