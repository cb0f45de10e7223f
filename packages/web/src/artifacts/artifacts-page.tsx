// The list of artifacts: pages and documents that agents and members publish.
import type { Artifact } from '@millrace/contract/artifacts'
import { linkOptions, useSearch } from '@tanstack/react-router'
import { FileCode2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { eqFilter, given } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { visibilityLabels, visibilityStrings } from '../shell/visibility.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { commandsFor } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { artifactKinds, artifactsAddress, artifactVisibilityLabels } from './address.ts'
import { PublishForm } from './publish.tsx'
import { strings } from './strings.ts'

const linkOf = ({ id }: Artifact) => linkOptions({ to: '/artifacts/$id', params: { id } })

const columns: Column<Artifact>[] = [
  {
    id: 'title',
    header: strings.columns.title,
    sort: 'title',
    width: '2fr',
    cell: ({ title, name }) => <span className="font-medium">{title || name}</span>,
  },
  { id: 'type', header: strings.columns.type, sort: 'type', width: '100px', cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: 'ref',
    header: strings.columns.reference,
    width: '2fr',
    wide: true,
    cell: ({ namespace, name }) => (
      <code className="font-mono text-[12px] text-soft">
        {namespace}/{name}
      </code>
    ),
  },
  {
    id: 'seen',
    header: visibilityStrings.label,
    width: '90px',
    wide: true,
    cell: ({ visibility }) => visibilityLabels[visibility],
  },
  {
    id: 'views',
    header: strings.columns.views,
    sort: 'views',
    width: '70px',
    wide: true,
    end: true,
    cell: ({ views }) => views,
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

const Nothing = ({ isNarrowed, add }: { isNarrowed: boolean; add: ReactNode }) =>
  isNarrowed ? (
    <Empty
      icon={FileCode2}
      title={uiStrings.noResults}
      action={<ButtonLink to="/artifacts">{strings.showAll}</ButtonLink>}
    />
  ) : (
    <div>
      <Empty icon={FileCode2} title={strings.emptyTitle} action={add}>
        {strings.emptyText}
      </Empty>
      <div className="mx-auto max-w-md pb-8">
        <CodeBlock label={strings.command} text={commandsFor(location.origin).publishArtifact} />
      </div>
    </div>
  )

const ArtifactsPage = () => {
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
      {strings.publish.publish}
    </Button>
  )
  return (
    <Page title={strings.title} note={strings.note} actions={add}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={strings.columns.type}
          choices={artifactKinds}
          chosen={type}
          onChoose={(next) => void change({ type: next })}
        />
        <ChoiceChips
          label={visibilityStrings.label}
          choices={artifactVisibilityLabels}
          chosen={visibility}
          onChoose={(next) => void change({ visibility: next })}
        />
      </div>
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={<Nothing isNarrowed={q !== '' || type !== undefined || visibility !== undefined} add={add} />}
        />
      </Panel>
      <Dialog open={publishing} onClose={() => setPublishing(false)} title={strings.publish.title} wide>
        <PublishForm onDone={() => setPublishing(false)} />
      </Dialog>
    </Page>
  )
}

export default ArtifactsPage
