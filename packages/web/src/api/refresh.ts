// What changed is asked for again. Only here: the library alone would leave what is just being asked for the first time as it
// is, and a page that is opened during a change would show what was before it, for good.
import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

const isFirst = ({ state }: Query): boolean => state.data === undefined && state.fetchStatus !== 'idle'

export const refresh = async (client: QueryClient, filters: QueryFilters): Promise<void> => {
  const underWay = new Set(client.getQueryCache().findAll(filters).filter(isFirst))
  // Waits for those as well: ending them instead would keep a page empty for as long as there is news.
  await client.invalidateQueries(filters)
  if (underWay.size > 0) await client.invalidateQueries({ predicate: (query) => underWay.has(query) })
}
