// A list, page by page as it is scrolled; the cursor is the server's.
import type { ListRequest, Page } from '@millrace/contract/common'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { type CallInput, call } from './call.ts'
import type { OperationName, ReplyOf } from './operations.ts'

export type ListName = { [N in OperationName]: ReplyOf<N> extends Page<infer _Item> ? N : never }[OperationName]
export type ItemOf<N extends ListName> = ReplyOf<N> extends Page<infer Item> ? Item : never

const pageSize = 50
const askAgainMs = 1000

export type Listed<T> = {
  items: readonly T[]
  total: number
  isLoading: boolean
  error: Error | null
  more: (() => void) | null
  isLoadingMore: boolean
  refetch: () => void
}

export type ListOptions = {
  path?: Readonly<Record<string, string>>
  enabled?: boolean
  /** Whether more is about to come that no stream tells of; then the list is asked again after a second. */
  expectsMore?: (items: readonly unknown[]) => boolean
}

export const useList = <N extends ListName>(
  name: N,
  body: ListRequest = {},
  { path, enabled = true, expectsMore }: ListOptions = {},
): Listed<ItemOf<N>> => {
  const asked = { limit: pageSize, ...body }
  const query = useInfiniteQuery({
    queryKey: [name.split('.')[0], name, { path, body: asked }],
    initialPageParam: '',
    enabled,
    queryFn: ({ pageParam, signal }) =>
      (call as unknown as (name: N, input: object) => Promise<Page<ItemOf<N>>>)(name, {
        ...(path ? { path } : {}),
        body: pageParam === '' ? asked : { ...asked, cursor: pageParam },
        signal,
      } satisfies Partial<CallInput<'tasks.list'>>),
    getNextPageParam: (page) => (page.has_next ? page.next_cursor : undefined),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (expectsMore?.(state.data?.pages[0]?.items ?? []) ? askAgainMs : false),
  })
  const pages = query.data?.pages ?? []
  return {
    items: pages.flatMap(({ items }) => items),
    total: pages[0]?.total_items ?? 0,
    isLoading: query.isPending && enabled,
    error: query.error,
    more: query.hasNextPage && !query.isFetchingNextPage ? () => void query.fetchNextPage() : null,
    isLoadingMore: query.isFetchingNextPage,
    refetch: () => void query.refetch(),
  }
}
