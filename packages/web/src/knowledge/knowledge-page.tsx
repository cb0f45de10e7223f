// Entries and skills of the workspace, by type, found by words.
import type { Knowledge, KnowledgeType } from '@millrace/contract/knowledge'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useLongList } from '../api/long-list.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import type { Column } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { kindNames, kinds } from './kinds.ts'
import { NewEntry } from './new-entry.tsx'

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

const KnowledgePage = () => {
  const navigate = useNavigate()
  const { type } = useSearch({ from: '/knowledge' })
  const [term, setTerm] = useState('')
  const [creating, setCreating] = useState(false)
  const asked = useDeferredValue(term.trim())
  const sorting = useSort('updated_at', 'desc')
  const list = useLongList('knowledge.list', {
    sort: [sorting.sort],
    ...(type ? { filters: [{ field: 'type', operator: 'eq', value: type }] } : {}),
    ...(asked === '' ? {} : { search: { term: asked } }),
  })
  const choose = (next: KnowledgeType | undefined) =>
    void navigate({ to: '/knowledge', search: next === undefined || next === type ? {} : { type: next } })
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      New entry
    </Button>
  )
  return (
    <Page
      full
      title="Knowledge"
      note="What agents and people should know: entries and skills, each with its versions."
      actions={add}
    >
      <div className="mb-3 flex flex-wrap items-center gap-1.5 px-4 md:px-6">
        <SearchField label="Search entries" className="sm:max-w-64" value={term} onChange={setTerm} />
        {kinds.map((kind) => (
          <Chip key={kind} on={kind === type} onClick={() => choose(kind)}>
            {kindNames[kind]}
          </Chip>
        ))}
      </div>
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        <LongTable
          label="Knowledge"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/knowledge/$id', params: { id } })}
          empty={
            <Empty icon={BookOpen} title={asked === '' ? 'Nothing written down yet' : 'Nothing found'} action={add}>
              Entries are Markdown with versions; agents read them, and search finds them by what they mean.
            </Empty>
          }
        />
      </div>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New entry" wide>
        <NewEntry onDone={() => setCreating(false)} />
      </Dialog>
    </Page>
  )
}

export default KnowledgePage
