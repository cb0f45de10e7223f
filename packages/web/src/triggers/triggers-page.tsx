// The list of triggers: what starts what, when it last did, and whether it is on.
import type { Trigger, TriggerAction } from '@millrace/contract/triggers'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import { eqFilter, given } from '../api/address-filters.ts'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { useAct } from '../ui/act.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { kinds, switched, switchedFilter, triggersAddress } from './address.ts'
import { nextTimeOf, whenText } from './when.ts'

const Switch = ({ trigger }: { trigger: Trigger }) => {
  const set = useAct({
    work: (enabled: boolean) => call('triggers.update', { path: { id: trigger.id }, body: { enabled } }),
    touches: ['triggers'],
  })
  return (
    <input
      type="checkbox"
      aria-label={`${trigger.name} is on`}
      className="size-4 align-middle accent-accent"
      checked={trigger.enabled}
      disabled={set.isPending}
      onChange={(event) => set.mutate(event.target.checked)}
    />
  )
}

const started: Readonly<Record<TriggerAction, string>> = {
  run_app: 'an app',
  run_flow: 'a flow',
  run_agent: 'an agent',
  resolve_interrupt: 'an answer',
}

const Next = ({ trigger }: { trigger: Trigger }) => <Ago time={nextTimeOf(trigger, useNow())} />

const columns: Column<Trigger>[] = [
  { id: 'on', header: 'On', width: '40px', cell: (trigger) => <Switch trigger={trigger} /> },
  {
    id: 'name',
    header: 'Name',
    sort: 'name',
    width: '2fr',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  { id: 'type', header: 'Kind', sort: 'type', width: '100px', wide: true, cell: ({ type }) => <Badge>{type}</Badge> },
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
    width: '90px',
    cell: ({ action }) => started[action],
  },
  { id: 'next', header: 'Next', width: '90px', end: true, wide: true, cell: (trigger) => <Next trigger={trigger} /> },
  {
    id: 'count',
    header: 'Fires',
    sort: 'fire_count',
    width: '60px',
    end: true,
    wide: true,
    cell: ({ fire_count }) => fire_count,
  },
  {
    id: 'last',
    header: 'Last',
    sort: 'last_fired_at',
    width: '90px',
    end: true,
    wide: true,
    cell: ({ last_fired_at }) => <Ago time={last_fired_at} />,
  },
]

const TriggersPage = () => {
  const navigate = useNavigate()
  const sorting = useSort('created_at', 'desc')
  const change = useChangeAddress()
  const { q = '', kind, is } = triggersAddress(useSearch({ strict: false }))
  const [term, setTerm] = useTerm(q)
  const list = useList('triggers.list', {
    sort: [sorting.sort],
    filters: given([eqFilter('type', kind), switchedFilter(is)]),
    ...searchFor(q),
  })
  const add = (
    <ButtonLink to="/triggers/new" look="primary">
      New trigger
    </ButtonLink>
  )
  return (
    <Page
      title="Triggers"
      note="What starts apps, flows and agents by itself: the clock, a webhook, a moment."
      actions={add}
    >
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label="Search triggers" className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips label="Kind" choices={kinds} chosen={kind} onChoose={(next) => void change({ kind: next })} />
        <ChoiceChips label="On or off" choices={switched} chosen={is} onChoose={(next) => void change({ is: next })} />
      </div>
      <Panel flush>
        <Table
          label="Triggers"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={({ id }) => void navigate({ to: '/triggers/$id', params: { id } })}
          empty={
            q !== '' || kind !== undefined || is !== undefined ? (
              <Empty icon={Zap} title="No trigger matches" action={<ButtonLink to="/triggers">Show all</ButtonLink>} />
            ) : (
              <Empty icon={Zap} title="No triggers yet" action={add}>
                A webhook that starts a flow takes a minute to set up.
              </Empty>
            )
          }
        />
      </Panel>
    </Page>
  )
}

export default TriggersPage
