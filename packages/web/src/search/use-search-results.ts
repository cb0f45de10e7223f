// Search results, and the texts that contain the words.
import { collections as allCollections, type Collection } from '@millrace/contract/search'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { callWithNotices } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { type Hit, hitOf, wordsOnlyIn } from './hits.ts'
import { hasAllWords, passageOf, plainOf } from './words.ts'

/** While the server still prepares embeddings, results by words alone are requested again after this time. */
const retryMs = 15_000

type SearchOptions = { collections?: readonly Collection[]; limit?: number }

export const useSearchResults = (q: string, { collections = allCollections, limit = 20 }: SearchOptions = {}) => {
  const input = { body: { query: q, collections: [...collections], limit } }
  const hasQuery = q.trim() !== ''
  const found = useQuery({
    queryKey: ['search', 'search.find', input, 'with notices'],
    queryFn: ({ signal }) => callWithNotices('search.find', input, { signal }),
    enabled: hasQuery,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (wordsOnlyIn(state.data?.notices ?? []) === undefined ? false : retryMs),
  })
  const { data } = found
  return {
    hits: hasQuery && data ? data.data.results.map(hitOf) : [],
    wordsOnly: hasQuery && data ? wordsOnlyIn(data.notices) : undefined,
    error: found.error,
    isLoading: found.isLoading,
    isAnswered: hasQuery && data !== undefined,
    refetch: () => void found.refetch(),
  }
}

/** True once the element has been visible. */
const useHasBeenVisible = <T extends Element>(): [ref: RefObject<T | null>, wasVisible: boolean] => {
  const ref = useRef<T>(null)
  const [wasVisible, setWasVisible] = useState(false)
  useEffect(() => {
    const { current } = ref
    if (!current || wasVisible) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setWasVisible(true)
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [wasVisible])
  return [ref, wasVisible]
}

const hasText = ({ collection }: Hit): boolean => collection === 'knowledge' || collection === 'skills'

/**
 * Search returns names and descriptions. If these do not contain every word, the text is loaded when the result becomes
 * visible.
 */
export const usePassage = <T extends Element>(hit: Hit, query: string) => {
  const [ref, wasVisible] = useHasBeenVisible<T>()
  const isNeeded = hasText(hit) && !hasAllWords(`${hit.title} ${hit.name} ${hit.about}`, query)
  const { data, isPending } = useQuery({
    ...read('knowledge.get', { path: { id: hit.id }, query: { include: 'content' } }),
    enabled: isNeeded && wasVisible,
    staleTime: 60_000,
  })
  const text = data?.version?.content.content
  return { ref, isNeeded, isPending, passage: text === undefined ? '' : passageOf(plainOf(text), query) }
}
