// Artifacts: documents that agents and people publish.
import type { Artifact } from '@millrace/contract/artifacts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileCode2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { commandsFor } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { artifactKinds, artifactsAddress, seenBy } from './address.ts'
import { PublishForm } from './publish.tsx'

const columns: Column<Artifact>[] = [
  {
    id: 'title',
    header: 'Title',
    sort: 'title',
    width: '2fr',
    cell: ({ title, name }) => <span className="font-medium">{title || name}</span>,
  },
  { id: 'type', header: 'Type', sort: 'type', width: '100px', cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: 'ref',
    header: 'Ref',
    width: '2fr',
    wide: true,
    cell: ({ namespace, name }) => (
      <code className="font-mono text-[12px] text-soft">
        {namespace}/{name}
      </code>
    ),
  },
  { id: 'seen', header: 'Seen by', width: '90px', wide: true, cell: ({ visibility }) => visibility },
  { id: 'views', header: 'Views', sort: 'views', width: '70px', wide: true, end: true, cell: ({ views }) => views },
  {
    id: 'time',
    header: 'Changed',
    width: '90px',
    sort: 'updated_at',
    end: true,
    cell: ({ updated_at }) => <Ago time={updated_at} />,
  },
]

const Nothing = ({ isNarrowed, add }: { isNarrowed: boolean; add: ReactNode }) =>
  isNarrowed ? (
    <Empty icon={FileCode2} title="No artifact matches" action={<ButtonLink to="/artifacts">Show all</ButtonLink>} />
  ) : (
    <div>
      <Empty icon={FileCode2} title="Nothing published yet" action={add}>
        Agents publish what they make when you let them; from a terminal it is one command:
      </Empty>
      <div className="mx-auto max-w-md pb-8">
        <CodeBlock label="Command" text={commandsFor(location.origin).publishArtifact} />
      </div>
    </div>
  )

const ArtifactsPage = () => {
  const navigate = useNavigate()
  const change = useChangeAddress()
  const { q = '', type, visibility } = artifactsAddress(useSearch({ from: '/artifacts' }))
  const [term, setTerm] = useTerm(q)
  const [publishing, setPublishing] = useState(false)
  const sorting = useSort('updated_at', 'desc')
  const list = useList('artifacts.list', {
    sort: [sorting.sort],
    filters: given([eqFilter('type', type), eqFilter('visibility', visibility)]),
    ...searchFor(q),
  })
  const add = (
    <Button look="primary" onClick={() => setPublishing(true)}>
      Publish
    </Button>
  )
  return (
    <Page
      title="Artifacts"
      note="Pages and documents, published version by version and shown in a frame of their own."
      actions={add}
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label="Search artifacts" className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label="Type"
          choices={artifactKinds}
          chosen={type}
          onChoose={(next) => void change({ type: next })}
        />
        <ChoiceChips
          label="Who sees it"
          choices={seenBy}
          chosen={visibility}
          onChoose={(next) => void change({ visibility: next })}
        />
      </div>
      <Panel flush>
        <Table
          label="Artifacts"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/artifacts/$id', params: { id } })}
          empty={<Nothing isNarrowed={q !== '' || type !== undefined || visibility !== undefined} add={add} />}
        />
      </Panel>
      <Dialog open={publishing} onClose={() => setPublishing(false)} title="Publish an artifact" wide>
        <PublishForm onDone={() => setPublishing(false)} />
      </Dialog>
    </Page>
  )
}

export default ArtifactsPage
