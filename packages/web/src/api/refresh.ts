// Refetches changed data. The library alone would not repeat a first request in progress, and a page opened during a
// change would keep the old data.
import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query'

const isFirst = ({ state }: Query): boolean => state.data === undefined && state.fetchStatus !== 'idle'

export const refresh = async (client: QueryClient, filters: QueryFilters): Promise<void> => {
  const underWay = new Set(client.getQueryCache().findAll(filters).filter(isFirst))
  // Waits for requests in progress; canceling them would keep a page empty during frequent changes.
  await client.invalidateQueries(filters)
  if (underWay.size > 0) await client.invalidateQueries({ predicate: (query) => underWay.has(query) })
}
