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
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key's text stands for the key; a new callback is no new stream
  useEffect(() => {
    if (id === undefined) return
    return followStream(operation, {
      path: { id },
      onState: setState,
      onEvent: ({ name, data }) => {
        if (name === 'delta') return onDelta?.(data)
        if (name === 'update') client.setQueryData(queryKey, (held: object | undefined) => applyUpdate(held, data))
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
export const patchHeld = (held: unknown, update: Row): unknown => {
  if (hasItems(held)) return patchRows(held, update)
  if (!hasPages(held)) return held
  const pages = held.pages.map((page) => patchRows(page, update))
  return pages.some((page, index) => page !== held.pages[index]) ? { ...held, pages } : held
}

/** Changes a row in every cached list; true when one contained it. */
export const patchCached = (client: QueryClient, resource: string, update: Row): boolean => {
  let found = false
  client.setQueriesData({ queryKey: [resource] }, (held: unknown) => {
    const patched = patchHeld(held, update)
    found ||= patched !== held
    return patched
  })
  return found
}
