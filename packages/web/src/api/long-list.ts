// A list of any length, loaded by visible pages: scrolling to the end loads only the last page, and a new row refetches
// only visible pages.
import type { ListRequest, Page } from '@millrace/contract/common'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { fetchPage, type ListName, type RowOf, refetchOnFocus } from './list.ts'
import { pause } from './pause.ts'

/** The maximum page size. */
export const pageRows = 100
/** Beyond this number, the server's total is an estimate. */
const countedRows = 10_000
/** A page that leaves the view within this time is not requested. */
const passedMs = 60

export type NumberedPage<T> = { number: number; page: Page<T> | undefined }

/** Visible pages, counted from one; always includes the first, which contains the total. */
export const pagesInView = (first: number, last: number): number[] => {
  const from = Math.floor(first / pageRows) + 1
  const to = Math.floor(Math.max(first, last) / pageRows) + 1
  const near = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return from === 1 ? near : [1, ...near]
}

/** The scrollable length. When the total is an estimate, it grows while scrolling. */
export const lengthOf = (pages: readonly NumberedPage<unknown>[]): number => {
  const end = pages.find(({ page }) => page?.has_next === false)
  if (end?.page) return (end.number - 1) * pageRows + end.page.items.length
  const total = pages[0]?.page?.total_items ?? 0
  if (total <= countedRows) return total
  return Math.max(countedRows, ...pages.map(({ number }) => (number + 1) * pageRows))
}

export type LongList<T> = {
  length: number
  total: number
  rowAt: (index: number) => T | undefined
  /** Reports which rows are in or near the view. */
  onVisibleRows: (first: number, last: number) => void
  isLoading: boolean
  error: Error | null
  refetch: () => void
  /** The request as text, which identifies the list. */
  requestKey: string
}

export const useLongList = <N extends ListName>(name: N, body: ListRequest): LongList<RowOf<N>> => {
  const client = useQueryClient()
  const [numbers, setNumbers] = useState(() => pagesInView(0, 0))
  const onVisibleRows = useCallback((first: number, last: number) => {
    const wanted = pagesInView(first, last)
    setNumbers((current) => (current.join() === wanted.join() ? current : wanted))
  }, [])
  const requestKey = JSON.stringify(body)
  const [lists, setLists] = useState({ now: { requestKey, body }, before: body })
  if (lists.now.requestKey !== requestKey) setLists({ now: { requestKey, body }, before: lists.now.body })

  const keyOf = (request: ListRequest, number: number) => [
    name.split('.')[0],
    name,
    { body: { ...request, limit: pageRows, page: number } },
  ]
  const answers = useQueries({
    queries: numbers.map((number) => ({
      queryKey: keyOf(body, number),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        if (number > 1) await pause(passedMs, signal)
        return fetchPage(name, { body: { ...body, limit: pageRows, page: number } }, { signal })
      },
      refetchOnWindowFocus: refetchOnFocus(name),
      // After a change of filter or order, the previous rows stay until the response arrives.
      placeholderData: () => client.getQueryData<Page<RowOf<N>>>(keyOf(lists.before, number)),
    })),
  })
  const pages = numbers.map((number, index) => ({ number, page: answers[index]?.data }))
  const first = pages[0]?.page
  return {
    length: lengthOf(pages),
    total: first?.total_items ?? 0,
    rowAt: (index) =>
      pages.find(({ number }) => number === Math.floor(index / pageRows) + 1)?.page?.items[index % pageRows],
    onVisibleRows,
    isLoading: first === undefined && answers[0]?.isPending === true,
    error: answers.find(({ error }) => error)?.error ?? null,
    refetch: () => void Promise.all(answers.map(({ refetch }) => refetch())),
    requestKey,
  }
}
