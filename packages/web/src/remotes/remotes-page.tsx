// Remotes: machines of people that run commands and coding agents.
import type { Remote } from '@millrace/contract/remotes'
import { useNavigate } from '@tanstack/react-router'
import { Laptop } from 'lucide-react'
import { useList } from '../api/list.ts'
import { CodeBlock } from '../ui/code.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Status, toneOfEngine } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'

const columns: Column<Remote>[] = [
  {
    id: 'status',
    header: 'Status',
    width: '140px',
    cell: ({ status }) => <Status tone={toneOfEngine(status)}>{status}</Status>,
  },
  { id: 'name', header: 'Name', width: '2fr', cell: ({ name }) => <span className="font-medium">{name}</span> },
  {
    id: 'system',
    header: 'System',
    width: '2fr',
    wide: true,
    cell: ({ system_info }) => <span className="text-soft">{system_info?.os ?? ''}</span>,
  },
  {
    id: 'agents',
    header: 'Agents',
    width: '2fr',
    wide: true,
    cell: ({ profiles }) => (
      <span className="text-soft">{profiles.map(({ display_name, name }) => display_name || name).join(', ')}</span>
    ),
  },
  { id: 'seen', header: 'Seen', width: '90px', end: true, cell: ({ heartbeat_at }) => <Ago time={heartbeat_at} /> },
]

const commands = `npx millrace login --api-url ${location.origin}\nnpx millrace remote start --name my-laptop --exec`

const RemotesPage = () => {
  const navigate = useNavigate()
  const list = useList('remotes.list')
  return (
    <Page title="Remotes" note="Machines of your own that run commands and coding agents for you.">
      <Panel flush>
        <Table
          label="Remotes"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/remotes/$id', params: { id } })}
          empty={
            <Empty icon={Laptop} title="No remotes yet" action={<CodeBlock label="Commands" text={commands} />}>
              Any machine of yours, behind any router, can stand here. In a clone of Millrace on that machine:
            </Empty>
          }
        />
      </Panel>
    </Page>
  )
}

export default RemotesPage
