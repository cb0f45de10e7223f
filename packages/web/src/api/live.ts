// Streams write into the query cache, so pages that show a query are live without refetching.
import type { StreamName } from '@millrace/contract/call'
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { applyUpdate } from './sse.ts'
import { followStream, type StreamState } from './stream.ts'

type Live = {
  operation: StreamName
  id: string | undefined
  queryKey: QueryKey
  onDelta?: (data: unknown) => void
}

/** Follows one resource while the component is mounted; each change updates the data of the query. */
export const useLiveResource = ({ operation, id, queryKey, onDelta }: Live): StreamState => {
  const client = useQueryClient()
  const [state, setState] = useState<StreamState>('connecting')
  const key = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text of the key identifies the key, and a new callback must not restart the stream
  useEffect(() => {
    if (id === undefined) return
    return followStream(operation, {
      path: { id },
      onState: setState,
      onEvent: ({ name, data }) => {
        if (name === 'delta') return onDelta?.(data)
        if (name === 'update') client.setQueryData(queryKey, (cached: object | undefined) => applyUpdate(cached, data))
      },
    })
  }, [client, operation, id, key])
  return state
}

type Row = { id: string }
type Rows = { items: readonly Row[] }
type Pages = { pages: readonly Rows[] }

const hasItems = (data: unknown): data is Rows => typeof data === 'object' && data !== null && 'items' in data
const hasPages = (data: unknown): data is Pages => typeof data === 'object' && data !== null && 'pages' in data

const patchRows = <T extends Rows>(rows: T, update: Row): T =>
  rows.items.some(({ id }) => id === update.id)
    ? { ...rows, items: rows.items.map((item) => (item.id === update.id ? { ...item, ...update } : item)) }
    : rows

/** Pure: the cached data with the row changed; the same object when the row is not in it. */
export const patchData = (cached: unknown, update: Row): unknown => {
  if (hasItems(cached)) return patchRows(cached, update)
  if (!hasPages(cached)) return cached
  const pages = cached.pages.map((page) => patchRows(page, update))
  return pages.some((page, index) => page !== cached.pages[index]) ? { ...cached, pages } : cached
}

/** Changes a row in every cached list; true when one contained it. */
export const patchCached = (client: QueryClient, resource: string, update: Row): boolean => {
  let found = false
  client.setQueriesData({ queryKey: [resource] }, (cached: unknown) => {
    const patched = patchData(cached, update)
    found ||= patched !== cached
    return patched
  })
  return found
}
