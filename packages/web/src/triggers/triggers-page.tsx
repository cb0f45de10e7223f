// The list of triggers: what starts what, when it last did, and whether it is on.
import type { Trigger } from '@millrace/contract/triggers'
import { useNavigate } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { whenText } from './when.ts'

const Switch = ({ trigger }: { trigger: Trigger }) => {
  const set = useAct({
    work: (enabled: boolean) => call('triggers.update', { path: { id: trigger.id }, body: { enabled } }),
    touches: ['triggers'],
  })
  return (
    <input
      type="checkbox"
      aria-label={`${trigger.name} is on`}
      className="size-4 accent-accent"
      checked={trigger.enabled}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.target.checked)}
    />
  )
}

const columns: Column<Trigger>[] = [
  { id: 'on', header: 'On', width: '40px', cell: (trigger) => <Switch trigger={trigger} /> },
  { id: 'name', header: 'Name', width: '2fr', cell: ({ name }) => <span className="font-medium">{name}</span> },
  { id: 'type', header: 'Kind', width: '100px', wide: true, cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: 'when',
    header: 'When',
    width: '2fr',
    cell: (trigger) => <span className="text-soft">{whenText(trigger)}</span>,
  },
  {
    id: 'starts',
    header: 'Starts',
    wide: true,
    cell: ({ action }) => action.replace('run_', 'a run of an ').replace('an flow', 'a flow'),
  },
  { id: 'count', header: 'Fires', width: '60px', end: true, wide: true, cell: ({ fire_count }) => fire_count },
  {
    id: 'last',
    header: 'Last',
    width: '90px',
    end: true,
    wide: true,
    cell: ({ last_fired_at }) => <Ago time={last_fired_at} />,
  },
]

const TriggersPage = () => {
  const navigate = useNavigate()
  const list = useList('triggers.list', { sort: [{ field: 'created_at', dir: 'desc' }] })
  const add = (
    <ButtonLink to="/triggers/new" look="primary">
      New trigger
    </ButtonLink>
  )
  return (
    <Page title="Triggers" note="What starts apps and flows by itself: the clock, a webhook, a moment." actions={add}>
      <Panel flush>
        <Table
          label="Triggers"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/triggers/$id', params: { id } })}
          empty={
            <Empty icon={Zap} title="No triggers yet" action={add}>
              A webhook that starts a flow takes a minute to set up.
            </Empty>
          }
        />
      </Panel>
    </Page>
  )
}

export default TriggersPage
