// Remotes: machines of people that run commands and coding agents.
import type { Remote } from '@millrace/contract/remotes'
import { useNavigate } from '@tanstack/react-router'
import { Laptop } from 'lucide-react'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { commandsFor } from '../ui/commands.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Status, toneOfEngine } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'

const columns: Column<Remote>[] = [
  {
    id: 'status',
    header: 'Status',
    sort: 'status',
    width: '140px',
    cell: ({ status }) => <Status tone={toneOfEngine(status)}>{status}</Status>,
  },
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    width: '2fr',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
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

const AddRemote = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        Add a remote
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Add a remote">
        <div className="flex flex-col gap-3">
          <p className="text-soft">
            Any machine that can reach this server can be a remote. Run on that machine, which needs Node.js:
          </p>
          <CodeBlock label="Commands" text={commandsFor(location.origin).startRemote} />
          <p className="text-soft">Without --exec it hosts coding agents, but runs no commands.</p>
        </div>
      </Dialog>
    </>
  )
}

const RemotesPage = () => {
  const navigate = useNavigate()
  const sorting = useSort('created_at', 'desc')
  const list = useList('remotes.list', { sort: [sorting.sort] })
  return (
    <Page
      title="Remotes"
      note="Machines of your own that run commands and coding agents for you."
      actions={<AddRemote />}
    >
      <Panel flush>
        <Table
          label="Remotes"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/remotes/$id', params: { id } })}
          empty={
            <Empty icon={Laptop} title="No remotes yet" action={<AddRemote />}>
              A machine of yours that stands here has a terminal in the browser, and runs what agents are allowed to.
            </Empty>
          }
        />
      </Panel>
    </Page>
  )
}

export default RemotesPage
