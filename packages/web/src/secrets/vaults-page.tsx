// Vaults: named groups of secrets, and what is in each.
import type { Vault as VaultRow } from '@millrace/contract/vaults'
import { useQuery } from '@tanstack/react-query'
import { Trash2, Vault } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'

const NewVault = ({ onDone }: { onDone: () => void }) => {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const save = useAct({
    work: () => call('vaults.create', { body: { name, description } }),
    touches: ['vaults'],
    done: `${name} is there`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Create">
      <TextField label="Name" required autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
    </Form>
  )
}

const Contents = ({ vault }: { vault: VaultRow }) => {
  const held = useQuery(read('vaults.secrets', { path: { id: vault.id } }))
  const all = useList('secrets.list', { limit: 200, sort: [{ field: 'key', dir: 'asc' }] })
  const touches = ['vaults']
  const add = useAct({
    work: (id: string) => call('vaults.add_secret', { path: { id: vault.id }, body: { secret_id: id } }),
    touches,
  })
  const remove = useAct({
    work: (id: string) => call('vaults.remove_secret', { path: { id: vault.id }, body: { secret_id: id } }),
    touches,
  })
  if (!held.data) return held.error ? <ProblemNote error={held.error} /> : <SkeletonRows rows={3} />
  const inside = new Set(held.data.map(({ id }) => id))
  const outside = all.items.filter(({ id }) => !inside.has(id))
  return (
    <div className="flex flex-col gap-4">
      {held.data.length === 0 ? <p className="text-soft">This vault holds no secrets yet.</p> : null}
      <ul className="flex flex-col">
        {held.data.map(({ id, key, masked_value }) => (
          <li key={id} className="flex items-center gap-2 border-b py-1 last:border-0">
            <code className="grow font-mono text-[12px]">{key}</code>
            <code className="font-mono text-[12px] text-faint">{masked_value}</code>
            <Button look="quiet" label={`Take ${key} out`} onClick={() => remove.mutate(id)}>
              <Trash2 aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {outside.length > 0 ? (
        <SelectField label="Put a secret in" value="" onChange={(event) => add.mutate(event.target.value)}>
          <option value="" disabled>
            Choose …
          </option>
          {outside.map(({ id, key }) => (
            <option key={id} value={id}>
              {key}
            </option>
          ))}
        </SelectField>
      ) : null}
    </div>
  )
}

const VaultsPage = () => {
  const sorting = useSort('name', 'asc')
  const list = useList('vaults.list', { sort: [sorting.sort] })
  const [creating, setCreating] = useState(false)
  const [opened, setOpened] = useState<VaultRow | null>(null)
  const remove = useAct({
    work: (id: string) => call('vaults.delete', { path: { id } }),
    touches: ['vaults'],
    done: 'Deleted; its secrets stay',
  })
  const columns: Column<VaultRow>[] = [
    {
      id: 'name',
      header: 'Name',
      sort: 'name',
      width: '2fr',
      cell: ({ name, is_default }) => (
        <span className="inline-flex items-center gap-2 font-medium">
          {name} {is_default ? <Badge tone="accent">default</Badge> : null}
        </span>
      ),
    },
    {
      id: 'description',
      header: 'Description',
      width: '2fr',
      wide: true,
      cell: ({ description }) => <span className="text-soft">{description}</span>,
    },
    { id: 'secrets', header: 'Secrets', width: '80px', end: true, cell: ({ secret_count }) => secret_count },
    {
      id: 'credentials',
      header: 'Connections',
      width: '100px',
      end: true,
      wide: true,
      cell: ({ credential_count }) => credential_count,
    },
    {
      id: 'time',
      header: 'Changed',
      sort: 'updated_at',
      width: '100px',
      end: true,
      wide: true,
      cell: ({ updated_at }) => <Ago time={updated_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '40px',
      end: true,
      cell: ({ id, name, is_default }) =>
        is_default ? null : (
          <ConfirmButton
            label={`Delete ${name}`}
            icon={<Trash2 aria-hidden />}
            title={`Delete the vault ${name}?`}
            confirm="Delete"
            act={() => remove.mutateAsync(id)}
          >
            The secrets and connections in it stay in the workspace.
          </ConfirmButton>
        ),
    },
  ]
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      New vault
    </Button>
  )
  return (
    <Page
      title="Vaults"
      note="Groups of secrets and connections that are handed to agents and runs together."
      actions={add}
    >
      <Panel flush>
        <Table
          label="Vaults"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={setOpened}
          empty={
            <Empty icon={Vault} title="No vaults yet" action={add}>
              A vault gathers what one purpose needs.
            </Empty>
          }
        />
      </Panel>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New vault">
        <NewVault onDone={() => setCreating(false)} />
      </Dialog>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.name ?? ''}>
        {opened ? <Contents vault={opened} /> : null}
      </Dialog>
    </Page>
  )
}

export default VaultsPage
