// The audit log: who did what, when and from where. Each row names the hash of the one before it.
import type { AuditEntry } from '@millrace/contract/access'
import { useState } from 'react'
import { useList } from '../api/list.ts'
import { Dialog } from '../ui/dialog.tsx'
import { inputLook } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const columns: Column<AuditEntry>[] = [
  { id: 'time', header: 'When', width: '90px', cell: ({ created_at }) => <Ago time={created_at} /> },
  {
    id: 'action',
    header: 'What',
    width: '2fr',
    cell: ({ action }) => <code className="font-mono text-[12px]">{action}</code>,
  },
  {
    id: 'resource',
    header: 'On',
    width: '2fr',
    wide: true,
    cell: ({ resource_type, resource_id }) => (
      <span className="text-soft">
        {resource_type} {resource_id.slice(0, 8)}
      </span>
    ),
  },
  {
    id: 'actor',
    header: 'By',
    cell: ({ actor_kind, actor_user_id }) => (
      <span className="text-soft">{`${actor_kind} ${actor_user_id.slice(0, 8)}`}</span>
    ),
  },
  { id: 'ip', header: 'From', width: '120px', wide: true, cell: ({ ip }) => ip },
]

const AuditPage = () => {
  const [action, setAction] = useState('')
  const [opened, setOpened] = useState<AuditEntry | null>(null)
  const list = useList('audit.list', {
    sort: [{ field: 'created_at', dir: 'desc' }],
    ...(action === '' ? {} : { filters: [{ field: 'action', operator: 'contains', value: action }] }),
  })
  return (
    <SettingsFrame
      title="Audit log"
      actions={
        <input
          type="search"
          aria-label="Filter by action"
          placeholder="Filter by action, such as secret"
          className={`${inputLook} h-8 w-64`}
          value={action}
          onChange={(event) => setAction(event.target.value.trim())}
        />
      }
    >
      <Panel flush>
        <Table
          label="Audit log"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={setOpened}
          empty={<Empty title="Nothing recorded yet" />}
        />
      </Panel>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.action ?? ''} wide>
        {opened ? <JsonView value={opened} /> : null}
      </Dialog>
    </SettingsFrame>
  )
}

export default AuditPage
