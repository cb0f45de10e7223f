// Vaults: named groups of secrets and connections.
import type { Vault as VaultRow } from '@millrace/contract/vaults'
import { Trash2, Vault } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { VaultContents } from './vault-contents.tsx'

const NewVault = ({ onDone }: { onDone: () => void }) => {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const save = useAct({
    work: () => call('vaults.create', { body: { name, description } }),
    touches: ['vaults'],
    done: `${name} created`,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit="Create vault">
      <TextField label="Name" required autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <TextField label="Description" value={description} onChange={(event) => setDescription(event.target.value)} />
    </Form>
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
    done: 'Vault deleted. Its secrets and connections stay.',
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
      header: 'Updated',
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
            Its secrets and connections stay in the workspace.
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
    <Page title="Vaults" note="Groups of secrets and connections that agents and runs receive together." actions={add}>
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
              A vault contains the secrets and connections for one purpose.
            </Empty>
          }
        />
      </Panel>
      <Dialog open={creating} onClose={() => setCreating(false)} title="New vault">
        <NewVault onDone={() => setCreating(false)} />
      </Dialog>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.name ?? ''}>
        {opened ? <VaultContents vault={opened} /> : null}
      </Dialog>
    </Page>
  )
}

export default VaultsPage
