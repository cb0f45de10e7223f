// A list with more pages on request, using the cursors of the server. `long-list.ts` is for lists of any length.
import type { AuditEntry } from '@millrace/contract/access'
import type { StoreApp } from '@millrace/contract/apps'
import type { Transaction } from '@millrace/contract/billing'
import type { Budget } from '@millrace/contract/budgets'
import type { ReplyOf } from '@millrace/contract/call'
import type { ListRequest, Page } from '@millrace/contract/common'
import type { FlowVersion } from '@millrace/contract/flows'
import type { IpBlock } from '@millrace/contract/installation'
import type { StoreSkill } from '@millrace/contract/knowledge'
import type { McpListing } from '@millrace/contract/mcp-servers'
import type { TriggerFire } from '@millrace/contract/triggers'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { call } from './call.ts'

/** The row type of each list. Lists can return partial rows; the console requests all fields. */
type Rows = {
  'agents.list': ReplyOf<'agents.get'>
  'agents.versions': ReplyOf<'agents.get_version'>
  'apikeys.list': ReplyOf<'apikeys.create'>
  'apps.list': ReplyOf<'apps.get'>
  'apps.versions': ReplyOf<'apps.version'>
  'artifacts.list': ReplyOf<'artifacts.get'>
  'artifacts.versions': ReplyOf<'artifacts.get_version'>
  'audit.list': AuditEntry
  'billing.transactions': Transaction
  'budgets.list': Budget
  'chats.list': ReplyOf<'chats.get'>
  'engines.list': ReplyOf<'engines.get'>
  'execs.list': ReplyOf<'execs.get'>
  'files.list': ReplyOf<'files.get'>
  'flow_runs.list': ReplyOf<'flow_runs.get'>
  'flows.list': ReplyOf<'flows.get'>
  'flows.versions': FlowVersion
  'ip_blocks.list': IpBlock
  'knowledge.list': ReplyOf<'knowledge.get'>
  'knowledge.versions': ReplyOf<'knowledge.get_version'>
  'mcp_servers.list': ReplyOf<'mcp_servers.get'>
  'mcps.list': McpListing
  'organizations.list': ReplyOf<'organizations.get'>
  'projects.list': ReplyOf<'projects.get'>
  'remotes.list': ReplyOf<'remotes.get'>
  'secrets.list': ReplyOf<'secrets.get'>
  'skills.list': ReplyOf<'skills.get'>
  'store.apps': StoreApp
  'store.skills': StoreSkill
  'tasks.list': ReplyOf<'tasks.get'>
  'trigger_fires.list': TriggerFire
  'triggers.list': ReplyOf<'triggers.get'>
  'vaults.list': ReplyOf<'vaults.get'>
  'workspaces.list': ReplyOf<'workspaces.get'>
}
export type ListName = keyof Rows

export type RowOf<N extends ListName> = Rows[N]

type FetchPage<N extends ListName> = (
  name: N,
  input: { path?: Readonly<Record<string, string>>; body: ListRequest },
  options: { signal: AbortSignal },
) => Promise<Page<RowOf<N>>>

export const fetchPage = <N extends ListName>(...args: Parameters<FetchPage<N>>): ReturnType<FetchPage<N>> =>
  (call as unknown as FetchPage<N>)(...args)

/** No stream reports changes of these, so their lists are refetched when the window gets focus. */
const resourcesWithoutStream: ReadonlySet<string> = new Set(['files', 'mcp_servers', 'projects', 'remotes', 'vaults'])
export const refetchOnFocus = (name: ListName): 'always' | false =>
  resourcesWithoutStream.has(name.split('.')[0] ?? name) ? 'always' : false

const pageSize = 50
const refetchMs = 1000

export type Listed<T> = {
  items: readonly T[]
  total: number
  isLoading: boolean
  error: Error | null
  more: (() => void) | null
  isLoadingMore: boolean
  refetch: () => void
}

const exportPage = 100

/** All rows of a list, page by page, for an export. */
export const allRows = async <N extends ListName>(name: N, body: ListRequest, max: number): Promise<RowOf<N>[]> => {
  const rows: RowOf<N>[] = []
  const { signal } = new AbortController()
  let cursor: string | undefined
  do {
    const page = await fetchPage(
      name,
      { body: { ...body, limit: exportPage, ...(cursor ? { cursor } : {}) } },
      { signal },
    )
    rows.push(...page.items)
    cursor = page.has_next ? page.next_cursor : undefined
  } while (cursor !== undefined && rows.length < max)
  return rows
}

/** Rows that are already loaded, for a table. */
export const listOf = <T>(items: readonly T[]): Listed<T> => ({
  items,
  total: items.length,
  isLoading: false,
  error: null,
  more: null,
  isLoadingMore: false,
  refetch: () => {},
})

export type ListOptions = {
  path?: Readonly<Record<string, string>>
  enabled?: boolean
  /** Whether changes are expected that no stream reports; then the list is refetched after a second. */
  expectsMore?: (items: readonly unknown[]) => boolean
}

export const useList = <N extends ListName>(
  name: N,
  body: ListRequest = {},
  { path, enabled = true, expectsMore }: ListOptions = {},
): Listed<RowOf<N>> => {
  const request = { limit: pageSize, ...body }
  const query = useInfiniteQuery({
    queryKey: [name.split('.')[0], name, { path, body: request }],
    initialPageParam: '',
    enabled,
    queryFn: ({ pageParam, signal }) =>
      fetchPage(
        name,
        { ...(path ? { path } : {}), body: pageParam === '' ? request : { ...request, cursor: pageParam } },
        { signal },
      ),
    getNextPageParam: (page) => (page.has_next ? page.next_cursor : undefined),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: refetchOnFocus(name),
    refetchInterval: ({ state }) => (expectsMore?.(state.data?.pages[0]?.items ?? []) ? refetchMs : false),
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
