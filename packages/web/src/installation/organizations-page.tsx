// Organizations: groups of workspaces with shared admins.
import type { Organization } from '@millrace/contract/teams'
import { linkOptions, useNavigate, useSearch } from '@tanstack/react-router'
import { Network } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { searchFor, wordsIn } from '../api/list-address.ts'
import { namespaceFrom } from '../settings/namespace.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { StaffFrame } from './staff-frame.tsx'

const linkOf = ({ id }: Organization) => linkOptions({ to: '/installation/organizations/$id', params: { id } })

const columns: Column<Organization>[] = [
  {
    id: 'name',
    header: 'Organization',
    width: '2fr',
    sort: 'name',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'time',
    header: 'Created',
    width: '90px',
    end: true,
    sort: 'created_at',
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

const NewOrganization = () => {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const username = typed ?? namespaceFrom(name)
  const create = useAct({
    work: () => call('organizations.create', { body: { name, username } }),
    touches: ['organizations', 'workspaces', 'teams'],
    done: ({ name }) => `${name} is created, and you are its first admin`,
    after: ({ id }) => navigate({ to: '/installation/organizations/$id', params: { id } }),
    quiet: true,
  })
  return (
    <Form act={create} submit="Create organization">
      <TextField label="Name" required autoFocus value={name} onChange={(event) => setName(event.target.value)} />
      <TextField
        label="Namespace"
        required
        help="The namespace of the organization’s own workspace: lowercase letters, digits and hyphens"
        value={username}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Form>
  )
}

const OrganizationList = ({ add }: { add: React.ReactNode }) => {
  const sorting = useSort('name', 'asc')
  const { q } = wordsIn(useSearch({ from: '/installation/organizations' }))
  const [term, setTerm] = useTerm(q)
  const list = useList('organizations.list', { sort: [sorting.sort], ...searchFor(q) })
  return (
    <>
      <SearchField label="Search organizations" className="mb-3 max-w-72" value={term} onChange={setTerm} />
      <Panel flush>
        <Table
          label="Organizations"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            q === undefined ? (
              <Empty icon={Network} title="No organizations yet" action={add}>
                An organization groups workspaces with shared billing and policies.
              </Empty>
            ) : (
              <Empty title="No results" action={<Button onClick={() => setTerm('')}>Show all</Button>} />
            )
          }
        />
      </Panel>
    </>
  )
}

const OrganizationsPage = () => {
  const [creating, setCreating] = useState(false)
  const add = (
    <Button look="primary" onClick={() => setCreating(true)}>
      New organization
    </Button>
  )
  return (
    <StaffFrame title="Organizations" actions={add}>
      {() => (
        <>
          <OrganizationList add={add} />
          <Dialog open={creating} onClose={() => setCreating(false)} title="New organization">
            <NewOrganization />
          </Dialog>
        </>
      )}
    </StaffFrame>
  )
}

export default OrganizationsPage
