// Search over everything that can be read, by words and by meaning.
import type { Collection } from '@millrace/contract/search'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { callWithNotices } from '../api/call.ts'
import { classes } from '../ui/classes.ts'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { addressOf, collectionNames, type Hit, hitOf, marked, wordsOnlyIn } from './hits.ts'

const Marked = ({ text, query }: { text: string; query: string }) =>
  marked(text, query).map((piece, index) =>
    piece.marked ? (
      <mark key={`piece-${index + 1}`} className="rounded-sm bg-warn-soft text-ink">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  )

const Row = ({ hit, query }: { hit: Hit; query: string }) => {
  const address = addressOf(hit)
  const body = (
    <>
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium">
          <Marked text={hit.title} query={query} />
        </span>
        <code className="min-w-0 truncate font-mono text-[12px] text-faint">
          {hit.namespace}/{hit.name}
        </code>
      </span>
      <span className="line-clamp-2 text-soft">
        <Marked text={hit.about} query={query} />
      </span>
    </>
  )
  const look = 'block rounded-md px-3 py-2'
  return (
    <li>
      {address === null ? (
        <div className={look}>{body}</div>
      ) : (
        <Link to={address} className={classes(look, 'hover:bg-hover')}>
          {body}
        </Link>
      )}
    </li>
  )
}

const settleMs = 200
/** Meanings are being made ready in the meantime: results that went by words alone are asked for again. */
const askAgainMs = 15_000

const useFound = (q: string) => {
  const input = { query: { q } }
  return useQuery({
    queryKey: ['search', 'search.query', input, 'with notices'],
    queryFn: ({ signal }) => callWithNotices('search.query', input, { signal }),
    enabled: q.trim() !== '',
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (wordsOnlyIn(state.data?.notices ?? []) === undefined ? false : askAgainMs),
  })
}

const SearchPage = () => {
  const navigate = useNavigate()
  const { q = '' } = useSearch({ from: '/search' })
  const [term, setTerm] = useState(q)
  useEffect(() => {
    const timer = setTimeout(() => {
      if (term !== q) void navigate({ to: '/search', search: term === '' ? {} : { q: term }, replace: true })
    }, settleMs)
    return () => clearTimeout(timer)
  }, [term, q, navigate])
  const found = useFound(q)
  const hits = q.trim() === '' ? [] : (found.data?.data.results ?? []).map(hitOf)
  const wordsOnly = q.trim() === '' ? undefined : wordsOnlyIn(found.data?.notices ?? [])
  const groups = Map.groupBy(hits, ({ collection }) => collection)
  return (
    <Page title="Search" tab={q === '' ? 'Search' : `${q}, search`}>
      <SearchField
        label="Search everything"
        hint="Apps, agents, flows, skills and knowledge, by words or by what they are about"
        className="mb-4 max-w-xl"
        autoFocus
        value={term}
        onChange={setTerm}
      />
      {found.error ? <ProblemNote error={found.error} retry={() => void found.refetch()} /> : null}
      {found.isLoading ? <SkeletonRows /> : null}
      <p role="status" className={classes('text-faint', wordsOnly !== undefined && 'mb-3')}>
        {wordsOnly}
      </p>
      <div className="flex max-w-3xl flex-col gap-4">
        {[...groups].map(([collection, rows]: [Collection, Hit[]]) => (
          <Panel key={collection} title={collectionNames[collection]} flush>
            <ul className="p-1">
              {rows.map((hit) => (
                <Row key={hit.id} hit={hit} query={q} />
              ))}
            </ul>
          </Panel>
        ))}
      </div>
      {found.data && q.trim() !== '' && hits.length === 0 ? (
        <Empty icon={SearchIcon} title={`Nothing found for “${q}”`}>
          Other words may help; what was just written is found within a moment.
        </Empty>
      ) : null}
    </Page>
  )
}

export default SearchPage
