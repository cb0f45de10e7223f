// Entries and skills of the workspace, by type, found by words.
import type { Knowledge, KnowledgeType } from '@millrace/contract/knowledge'
import type { Collection } from '@millrace/contract/search'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { useLongList } from '../api/long-list.ts'
import { FoundRow } from '../search/found.tsx'
import { useFound } from '../search/use-found.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { classes } from '../ui/classes.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { kindNames, knowledgeAddress, lifecycles } from './kinds.ts'
import { NewEntry } from './new-entry.tsx'

/** The most that a search answers with of one kind. */
const mostFound = 100

const columns: Column<Knowledge>[] = [
  {
    id: 'name',
    header: 'Name',
    width: '2fr',
    sort: 'name',
    cell: ({ name, title }) => (
      <span>
        <span className="font-medium">{title || name}</span>
        {title && title !== name ? <span className="text-faint"> {name}</span> : null}
      </span>
    ),
  },
  { id: 'type', header: 'Type', sort: 'type', width: '110px', cell: ({ type }) => kindNames[type] },
  {
    id: 'description',
    header: 'About',
    width: '3fr',
    wide: true,
    cell: ({ description }) => <span className="text-soft">{description}</span>,
  },
  {
    id: 'lifecycle',
    header: 'Lasts',
    width: '80px',
    wide: true,
    cell: ({ lifecycle }) => (lifecycle === 'decay' ? <Badge tone="warn">fades</Badge> : null),
  },
  {
    id: 'time',
    header: 'Changed',
    width: '90px',
    sort: 'updated_at',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const request = ({ type, lifecycle }: ReturnType<typeof knowledgeAddress>) => ({
  filters: given([eqFilter('type', type), eqFilter('lifecycle', lifecycle)]),
})

/** A list is found by names; words stand in texts as well, and meanings in neither: with words, the search is asked instead. */
const Found = ({ q, type }: { q: string; type: KnowledgeType | undefined }) => {
  const collections: Collection[] =
    type === undefined ? ['knowledge', 'skills'] : [type === 'skill' ? 'skills' : 'knowledge']
  const found = useFound(q, { collections, limit: mostFound })
  const hits = found.hits.filter((hit) => type === undefined || type === 'skill' || hit.type === type)
  return (
    <div className="min-h-0 grow overflow-y-auto" data-scroll-restoration-id="list">
      {found.error ? <ProblemNote error={found.error} retry={found.refetch} /> : null}
      {found.isLoading ? <SkeletonRows /> : null}
      <p role="status" className={classes('text-faint', found.wordsOnly !== undefined && 'px-4 pt-3')}>
        {found.wordsOnly}
      </p>
      <ul aria-label="What was found" className="max-w-3xl p-1">
        {hits.map((hit) => (
          <FoundRow key={hit.id} hit={hit} query={q} />
        ))}
      </ul>
      {found.isAnswered && hits.length === 0 ? (
        <Empty
          icon={BookOpen}
          title={`Nothing found for “${q}”`}
          action={
            <ButtonLink to="/search" search={{ q }}>
              Search everything
            </ButtonLink>
          }
        >
          Other words may help; what was just written is found within a moment.
        </Empty>
      ) : null}
    </div>
  )
}

const KnowledgePage = () => {
  const navigate = useNavigate()
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
      New entry
    </Button>
  )
  const isNarrowed = type !== undefined || lifecycle !== undefined
  return (
    <Page
      full
      title="Knowledge"
      note="What agents and people should know: entries and skills, each with its versions."
      actions={add}
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 md:px-6">
        <SearchField label="Search entries" className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips label="Type" choices={kindNames} chosen={type} onChoose={(next) => void change({ type: next })} />
        {isSearched ? null : (
          <ChoiceChips
            label="How long it lasts"
            choices={lifecycles}
            chosen={lifecycle}
            onChoose={(next) => void change({ lifecycle: next })}
          />
        )}
      </div>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        {isSearched ? (
          <Found q={q} type={type} />
        ) : (
          <LongTable
            label="Knowledge"
            list={list}
            columns={columns}
            rowKey={({ id }) => id}
            {...sorting}
            onOpen={({ id }) => void navigate({ to: '/knowledge/$id', params: { id } })}
            empty={
              isNarrowed ? (
                <Empty
                  icon={BookOpen}
                  title="Nothing of this kind"
                  action={<ButtonLink to="/knowledge">Show all</ButtonLink>}
                />
              ) : (
                <Empty icon={BookOpen} title="Nothing written down yet" action={add}>
                  Entries are Markdown with versions; agents read them, and search finds them by what they mean.
                </Empty>
              )
            }
          />
        )}
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New entry" wide>
        <NewEntry onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  )
}

export default KnowledgePage
