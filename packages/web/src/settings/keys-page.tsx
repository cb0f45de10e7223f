// API keys: create with chosen scopes, show the secret once, rotate, revoke.
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
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { isProgram, Programs } from './programs.tsx'
import { type Chosen, ScopePicker } from './scope-picker.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

const dayMs = 86_400_000
const lifetimes = {
  '7': strings.apiKeys.lifetimes.week,
  '30': strings.apiKeys.lifetimes.month,
  '90': strings.apiKeys.lifetimes.quarter,
  '365': strings.apiKeys.lifetimes.year,
  '': strings.apiKeys.lifetimes.unlimited,
} as const

const ShownOnce = ({ made }: { made: ApiKey }) => (
  <div className="flex flex-col gap-3">
    <p className="text-soft">{strings.apiKeys.shownOnce}</p>
    <CodeBlock text={made.key} label={strings.apiKeys.key} />
    <CodeBlock
      label={strings.apiKeys.firstCall}
      text={`curl ${location.origin}/me -H "Authorization: Bearer ${made.key}"`}
    />
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
    <Form act={create} submit={strings.apiKeys.createSubmit} disabled={chosen?.length === 0}>
      <TextField
        label={uiStrings.name}
        required
        autoFocus
        placeholder={strings.apiKeys.namePlaceholder}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField label={strings.apiKeys.expiresIn} value={days} onChange={(event) => setDays(event.target.value)}>
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
  scopes.length === 0
    ? strings.apiKeys.allScopes
    : scopes.length <= 2
      ? scopes.join(', ')
      : strings.apiKeys.scopeCount(scopes.length)

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
    done: strings.apiKeys.revoked,
  })
  const columns: Column<ApiKey>[] = [
    {
      id: 'name',
      header: uiStrings.name,
      sort: 'name',
      width: '2fr',
      cell: ({ name }) => <span className="font-medium">{name}</span>,
    },
    {
      id: 'key',
      header: strings.apiKeys.columnKey,
      wide: true,
      cell: ({ key }) => <code className="font-mono text-[12px] text-soft">{key}</code>,
    },
    {
      id: 'scopes',
      header: uiStrings.scopes,
      cell: (key) => (
        <span title={key.scopes.join('\n')}>
          <Badge>{scopesText(key)}</Badge>
        </span>
      ),
    },
    {
      id: 'used',
      header: uiStrings.lastUsed,
      sort: 'last_used_at',
      width: '100px',
      wide: true,
      cell: ({ last_used_at }) => <Ago time={last_used_at} />,
    },
    {
      id: 'ends',
      header: strings.apiKeys.columnExpires,
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
            label={strings.apiKeys.rotateThing(name)}
            icon={<RefreshCw aria-hidden />}
            title={strings.apiKeys.rotateTitle(name)}
            confirm={strings.apiKeys.rotate}
            act={() => rotate.mutateAsync(id)}
          >
            {strings.apiKeys.rotateText}
          </ConfirmButton>
          <ConfirmButton
            label={strings.apiKeys.revokeThing(name)}
            icon={<Trash2 aria-hidden />}
            title={strings.apiKeys.revokeTitle(name)}
            confirm={strings.apiKeys.revoke}
            act={() => revoke.mutateAsync(id)}
          >
            {strings.apiKeys.revokeText}
          </ConfirmButton>
        </span>
      ),
    },
  ]
  const add = (
    <Button look="primary" onClick={() => setOpen(true)}>
      {strings.apiKeys.create}
    </Button>
  )
  return (
    <SettingsFrame title={strings.apiKeys.title} actions={add}>
      <div className="flex flex-col gap-4">
        <Panel flush>
          <Table
            label={strings.apiKeys.title}
            list={{ ...list, items: list.items.filter((key) => !isProgram(key)) }}
            columns={columns}
            rowKey={({ id }) => id}
            {...sorting}
            empty={
              <Empty icon={KeyRound} title={strings.apiKeys.empty} action={add}>
                {strings.apiKeys.emptyText}
              </Empty>
            }
          />
        </Panel>
        <Programs programs={list.items.filter(isProgram)} />
      </div>
      <Dialog open={open} onClose={() => setOpen(false)} title={strings.apiKeys.createTitle} wide>
        <NewKey onMade={show} />
      </Dialog>
      <Dialog
        open={made !== null}
        onClose={() => setMade(null)}
        title={strings.apiKeys.createdTitle(made?.name ?? '')}
        wide
      >
        {made ? <ShownOnce made={made} /> : null}
      </Dialog>
    </SettingsFrame>
  )
}

export default KeysPage
