// All workspaces of the installation.
import type { Workspace } from '@millrace/contract/installation'
import { linkOptions, useSearch } from '@tanstack/react-router'
import { useList } from '../api/list.ts'
import { searchFor, wordsIn } from '../api/list-address.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { billingStatusLabels } from './billing-status.ts'
import { StaffFrame } from './staff-frame.tsx'

const linkOf = ({ id }: Workspace) => linkOptions({ to: '/installation/workspaces/$id', params: { id } })

const columns: Column<Workspace>[] = [
  {
    id: 'name',
    header: 'Workspace',
    width: '2fr',
    sort: 'name',
    cell: ({ name, username }) => (
      <span>
        <span className="font-medium">{name}</span> <span className="text-faint">{username}</span>
      </span>
    ),
  },
  { id: 'type', header: 'Type', width: '90px', wide: true, sort: 'type', cell: ({ type }) => type },
  { id: 'members', header: 'Members', width: '84px', end: true, cell: ({ members }) => members },
  {
    id: 'plans',
    header: 'Plan',
    wide: true,
    cell: ({ plans }) => plans.join(', ') || <span className="text-faint">default</span>,
  },
  {
    id: 'standing',
    header: 'Billing',
    wide: true,
    cell: ({ billing_status, status }) =>
      status === 'active' && billing_status === 'active' ? null : (
        <Badge tone="warn">{status === 'active' ? billingStatusLabels[billing_status] : status}</Badge>
      ),
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

const WorkspaceList = () => {
  const sorting = useSort('created_at', 'desc')
  const { q } = wordsIn(useSearch({ from: '/installation/workspaces' }))
  const [term, setTerm] = useTerm(q)
  const list = useList('workspaces.list', { sort: [sorting.sort], ...searchFor(q) })
  return (
    <>
      <SearchField label="Find a workspace" className="mb-3 max-w-72" value={term} onChange={setTerm} />
      <Panel flush>
        <Table
          label="Workspaces"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={<Empty title="No results" action={<Button onClick={() => setTerm('')}>Show all</Button>} />}
        />
      </Panel>
    </>
  )
}

const WorkspacesPage = () => <StaffFrame title="Workspaces">{() => <WorkspaceList />}</StaffFrame>

export default WorkspacesPage
