// Remotes: machines of members that run commands and coding agents.
import type { Remote } from '@millrace/contract/remotes'
import { linkOptions } from '@tanstack/react-router'
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
import { strings } from './strings.ts'

const linkOf = ({ id }: Remote) => linkOptions({ to: '/remotes/$id', params: { id } })

const columns: Column<Remote>[] = [
  {
    id: 'status',
    header: strings.columns.status,
    sort: 'status',
    width: '140px',
    cell: ({ status }) => <Status tone={toneOfEngine(status)}>{status}</Status>,
  },
  {
    id: 'name',
    header: strings.columns.name,
    main: true,
    sort: 'name',
    width: '2fr',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'system',
    header: strings.columns.system,
    width: '2fr',
    wide: true,
    cell: ({ system_info }) => <span className="text-soft">{system_info?.os ?? ''}</span>,
  },
  {
    id: 'agents',
    header: strings.columns.agents,
    width: '2fr',
    wide: true,
    cell: ({ profiles }) => (
      <span className="text-soft">{profiles.map(({ display_name, name }) => display_name || name).join(', ')}</span>
    ),
  },
  {
    id: 'seen',
    header: strings.columns.lastSeen,
    width: '90px',
    end: true,
    cell: ({ heartbeat_at }) => <Ago time={heartbeat_at} />,
  },
]

const AddRemote = () => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        {strings.add}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.add}>
        <div className="flex flex-col gap-3">
          <p className="text-soft">{strings.addText}</p>
          <CodeBlock label={strings.commands} text={commandsFor(location.origin).startRemote} />
          <p className="text-soft">{strings.execHelp}</p>
        </div>
      </Dialog>
    </>
  )
}

const RemotesPage = () => {
  const sorting = useSort('created_at', 'desc')
  const list = useList('remotes.list', { sort: [sorting.sort] })
  return (
    <Page title={strings.title} note={strings.note} actions={<AddRemote />}>
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            <Empty icon={Laptop} title={strings.emptyTitle} action={<AddRemote />}>
              {strings.emptyText}
            </Empty>
          }
        />
      </Panel>
    </Page>
  )
}

export default RemotesPage
