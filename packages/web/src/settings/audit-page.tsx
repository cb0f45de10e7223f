// The audit log: who did what, when and from where. Each row names the hash of the one before it, which anyone who reads it can
// have checked.
import type { AuditEntry, AuditFault } from '@millrace/contract/access'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { inputLook } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { StatusIcon } from '../ui/status.tsx'
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

const faultWords: Readonly<Record<AuditFault, string>> = {
  edited: 'a row does not say what was recorded',
  missing: 'a row that was recorded is gone',
  out_of_place: 'a row is not the one that followed its predecessor',
  unexpected: 'there is a row that the server never recorded',
  rewritten: 'the log was written anew: it is not the one that was witnessed',
  forged_checkpoint: 'a witness was not signed by this installation',
  forged_segment: 'a closed stretch lacks the seal of this installation',
}

/** Has the whole log walked, row by row, against its chain and its signed witnesses. */
const Verify = () => {
  const verify = useAct({ work: () => call('audit.verify') })
  const { data } = verify
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        <ShieldCheck aria-hidden /> Verify
      </Button>
      <output className="flex min-w-0 items-center gap-2 text-soft">
        {verify.isPending ? 'Every row is being checked …' : null}
        {data && !verify.isPending ? (
          <>
            <StatusIcon tone={data.ok ? 'ok' : 'bad'} />
            {data.ok ? (
              <span>
                As it was written, with {data.rows.toLocaleString()} rows of this workspace,{' '}
                <Ago time={data.checked_at} />
              </span>
            ) : (
              <span className="text-bad">
                The log is broken: {data.reason ? faultWords[data.reason] : 'it is not as it was written'}
                {data.entry_id ? <Id id={data.entry_id} /> : null}
              </span>
            )}
          </>
        ) : null}
      </output>
    </div>
  )
}

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
          placeholder="Filter, such as secret"
          className={`${inputLook} h-8 w-64`}
          value={action}
          onChange={(event) => setAction(event.target.value.trim())}
        />
      }
    >
      <Verify />
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
