// Artifacts: documents that agents and people publish.
import type { Artifact } from '@millrace/contract/artifacts'
import { useNavigate } from '@tanstack/react-router'
import { FileCode2 } from 'lucide-react'
import { useList } from '../api/list.ts'
import { CodeBlock } from '../ui/code.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'

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

const ArtifactsPage = () => {
  const navigate = useNavigate()
  const sorting = useSort('updated_at', 'desc')
  const list = useList('artifacts.list', { sort: [sorting.sort] })
  return (
    <Page title="Artifacts" note="Pages and documents, published version by version and shown in a frame of their own.">
      <Panel flush>
        <Table
          label="Artifacts"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/artifacts/$id', params: { id } })}
          empty={
            <div>
              <Empty icon={FileCode2} title="Nothing published yet">
                Agents publish what they make when you let them; from a terminal it is one command:
              </Empty>
              <div className="mx-auto max-w-md pb-8">
                <CodeBlock label="Command" text="npx millrace artifact publish report.md" />
              </div>
            </div>
          }
        />
      </Panel>
    </Page>
  )
}

export default ArtifactsPage
