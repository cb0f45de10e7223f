// Entries and skills of the workspace, filtered by type and searched by words.
import type { Knowledge, KnowledgeType } from '@millrace/contract/knowledge'
import type { Collection } from '@millrace/contract/search'
import { linkOptions, useSearch } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { useLongList } from '../api/long-list.ts'
import { ResultRow } from '../search/result-row.tsx'
import { useSearchResults } from '../search/use-search-results.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { classes } from '../ui/classes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { kindNames, knowledgeAddress, lifecycles } from './kinds.ts'
import { NewEntry } from './new-entry.tsx'
import { strings } from './strings.ts'

/** The maximum number of search results of one type. */
const maxResults = 100

const linkOf = ({ id }: Knowledge) => linkOptions({ to: '/knowledge/$id', params: { id } })

const columns: Column<Knowledge>[] = [
  {
    id: 'name',
    header: strings.columns.name,
    width: '2fr',
    sort: 'name',
    cell: ({ name, title }) => (
      <span>
        <span className="font-medium">{title || name}</span>
        {title && title !== name ? <span className="text-faint"> {name}</span> : null}
      </span>
    ),
  },
  { id: 'type', header: strings.columns.type, sort: 'type', width: '110px', cell: ({ type }) => kindNames[type] },
  {
    id: 'description',
    header: strings.columns.description,
    width: '3fr',
    wide: true,
    cell: ({ description }) => <span className="text-soft">{description}</span>,
  },
  {
    id: 'lifecycle',
    header: strings.columns.lifetime,
    width: '80px',
    wide: true,
    cell: ({ lifecycle }) => (lifecycle === 'decay' ? <Badge tone="warn">{strings.expires}</Badge> : null),
  },
  {
    id: 'time',
    header: strings.columns.updated,
    width: '90px',
    sort: 'updated_at',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const request = ({ type, lifecycle }: ReturnType<typeof knowledgeAddress>) => ({
  filters: given([eqFilter('type', type), eqFilter('lifecycle', lifecycle)]),
})

/** The list matches names only. A query is sent to the search, which also matches texts and meanings. */
const SearchResults = ({ q, type }: { q: string; type: KnowledgeType | undefined }) => {
  const collections: Collection[] =
    type === undefined ? ['knowledge', 'skills'] : [type === 'skill' ? 'skills' : 'knowledge']
  const found = useSearchResults(q, { collections, limit: maxResults })
  const hits = found.hits.filter((hit) => type === undefined || type === 'skill' || hit.type === type)
  return (
    <div className="min-h-0 grow overflow-y-auto" data-scroll-restoration-id="list">
      {found.error ? <ProblemNote error={found.error} retry={found.refetch} /> : null}
      {found.isLoading ? <SkeletonRows /> : null}
      <p role="status" className={classes('text-faint', found.wordsOnly !== undefined && 'px-4 pt-3')}>
        {found.wordsOnly}
      </p>
      <ul aria-label={strings.results} className="max-w-3xl p-1">
        {hits.map((hit) => (
          <ResultRow key={hit.id} hit={hit} query={q} />
        ))}
      </ul>
      {found.isAnswered && hits.length === 0 ? (
        <Empty
          icon={BookOpen}
          title={strings.noResultsFor(q)}
          action={
            <ButtonLink to="/search" search={{ q }}>
              {strings.searchEverything}
            </ButtonLink>
          }
        >
          {strings.noResultsText}
        </Empty>
      ) : null}
    </div>
  )
}

const KnowledgePage = () => {
  const change = useChangeAddress()
  const address = knowledgeAddress(useSearch({ from: '/knowledge' }))
  const { q = '', type, lifecycle } = address
  const [term, setTerm] = useTerm(q)
  const [creating, setCreating] = useState(false)
  const sorting = useSort('updated_at', 'desc')
  const isSearched = q.trim() !== ''
  const list = useLongList('knowledge.list', { sort: [sorting.sort], ...request(address) })
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      {strings.newEntry}
    </Button>
  )
  const isNarrowed = type !== undefined || lifecycle !== undefined
  return (
    <Page full title={strings.title} note={strings.note} actions={add}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 md:px-6">
        <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={strings.columns.type}
          choices={kindNames}
          chosen={type}
          onChoose={(next) => void change({ type: next })}
        />
        {isSearched ? null : (
          <ChoiceChips
            label={strings.columns.lifetime}
            choices={lifecycles}
            chosen={lifecycle}
            onChoose={(next) => void change({ lifecycle: next })}
          />
        )}
      </div>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        {isSearched ? (
          <SearchResults q={q} type={type} />
        ) : (
          <LongTable
            label={strings.title}
            list={list}
            columns={columns}
            rowKey={({ id }) => id}
            {...sorting}
            linkOf={linkOf}
            empty={
              isNarrowed ? (
                <Empty
                  icon={BookOpen}
                  title={uiStrings.noResults}
                  action={<ButtonLink to="/knowledge">{strings.showAll}</ButtonLink>}
                />
              ) : (
                <Empty icon={BookOpen} title={strings.emptyTitle} action={add}>
                  {strings.emptyText}
                </Empty>
              )
            }
          />
        )}
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title={strings.newEntry} wide>
        <NewEntry onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  )
}

export default KnowledgePage
