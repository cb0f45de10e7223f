// API keys: made with the scopes they need, shown whole exactly once, rotated and revoked here.
import type { ApiKey } from '@millrace/contract/access'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { isProgram, Programs } from './programs.tsx'
import { type Chosen, ScopePicker } from './scope-picker.tsx'
import { SettingsFrame } from './settings-frame.tsx'

const dayMs = 86_400_000
const lifetimes = { '7': '7 days', '30': '30 days', '90': '90 days', '365': 'A year', '': 'Until revoked' } as const

const ShownOnce = ({ made }: { made: ApiKey }) => (
  <div className="flex flex-col gap-3">
    <p className="text-soft">This is the only time that the key is shown whole. Keep it where your program finds it.</p>
    <CodeBlock text={made.key} label="The key" />
    <CodeBlock label="A first call" text={`curl ${location.origin}/me -H "Authorization: Bearer ${made.key}"`} />
  </div>
)

const NewKey = ({ onMade }: { onMade: (key: ApiKey) => void }) => {
  const catalog = useQuery(read('scopes.list'))
  const [name, setName] = useState('')
  const [days, setDays] = useState<string>('90')
  const [chosen, setChosen] = useState<Chosen>(null)
  const create = useAct({
    work: () =>
      call('apikeys.create', {
        body: {
          name,
          ...(chosen === null ? {} : { scopes: [...chosen] }),
          ...(days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString() }),
        },
      }),
    touches: ['apikeys'],
    after: onMade,
    quiet: true,
  })
  if (!catalog.data) return catalog.error ? <ProblemNote error={catalog.error} /> : <SkeletonRows rows={4} />
  return (
    <Form act={create} submit="Create the key" disabled={chosen?.length === 0}>
      <TextField
        label="Name"
        required
        autoFocus
        placeholder="deploy script"
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label="Valid for" value={days} onChange={(event) => setDays(event.target.value)}>
        {Object.entries(lifetimes).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <ScopePicker catalog={catalog.data} chosen={chosen} onChange={setChosen} />
    </Form>
  )
}

const scopesText = ({ scopes }: ApiKey): string =>
  scopes.length === 0 ? 'everything' : scopes.length <= 2 ? scopes.join(', ') : `${scopes.length} scopes`

const KeysPage = () => {
  const sorting = useSort('created_at', 'desc')
  const list = useList('apikeys.list', { sort: [sorting.sort] })
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<ApiKey | null>(null)
  const show = (key: ApiKey) => {
    setOpen(false)
    setMade(key)
  }
  const rotate = useAct({
    work: (id: string) => call('apikeys.rotate', { path: { id }, body: {} }),
    touches: ['apikeys'],
    after: show,
  })
  const revoke = useAct({
    work: (id: string) => call('apikeys.revoke', { path: { id } }),
    touches: ['apikeys'],
    done: 'The key is revoked',
  })
  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      width: '2fr',
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    {
      id: 'key',
      header: 'Key',
      wide: true,
      cell: ({ key }) => <code className="font-mono text-[12px] text-soft">{key}</code>,
    },
    {
      id: 'scopes',
      header: 'May do',
      cell: (key) => (
        <span title={key.scopes.join('\n')}>
          <Badge>{scopesText(key)}</Badge>
        </span>
      ),
    },
    {
      id: 'used',
      header: 'Last used',
      sort: 'last_used_at',
      width: '100px',
      wide: true,
      cell: ({ last_used_at }) => <Ago time={last_used_at} />,
    },
    {
      id: 'ends',
      header: 'Ends',
      sort: 'expires_at',
      width: '100px',
      wide: true,
      cell: ({ expires_at }) => <Ago time={expires_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '84px',
      end: true,
      cell: ({ id, name }) => (
        <span className="inline-flex">
          <ConfirmButton
            label={`Rotate ${name}`}
            icon={<RefreshCw aria-hidden />}
            title={`Rotate ${name}?`}
            confirm="Rotate"
            act={() => rotate.mutateAsync(id)}
          >
            A new key takes its place; the old one works for another day.
          </ConfirmButton>
          <ConfirmButton
            label={`Revoke ${name}`}
            icon={<Trash2 aria-hidden />}
            title={`Revoke ${name}?`}
            confirm="Revoke"
            act={() => revoke.mutateAsync(id)}
          >
            Whatever uses it is refused from this moment on.
          </ConfirmButton>
        </span>
      ),
    },
  ]
  const add = (
    <Button look="primary" onClick={() => setOpen(true)}>
      New key
    </Button>
  )
  return (
    <SettingsFrame title="API keys" actions={add}>
      <div className="flex flex-col gap-4">
        <Panel flush>
          <Table
            label="API keys"
            list={{ ...list, items: list.items.filter((key) => !isProgram(key)) }}
            columns={columns}
            rowKey={({ id }) => id}
            {...sorting}
            empty={
              <Empty icon={KeyRound} title="No keys yet" action={add}>
                Everything the console does, a program can do with a key.
              </Empty>
            }
          />
        </Panel>
        <Programs programs={list.items.filter(isProgram)} />
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title="New API key" wide>
        <NewKey onMade={show} />
      </Dialog>
      <Dialog open={made !== null} onClose={() => setMade(null)} title={`The key ${made?.name ?? ''}`} wide>
        {made ? <ShownOnce made={made} /> : null}
      </Dialog>
    </SettingsFrame>
  )
}

export default KeysPage
