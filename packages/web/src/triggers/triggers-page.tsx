// The list of triggers: schedule, target, last event, and whether each is enabled.
import type { Trigger, TriggerAction } from '@millrace/contract/triggers'
import { linkOptions, useSearch } from '@tanstack/react-router'
import { Zap } from 'lucide-react'
import { eqFilter, given } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { searchFor } from '../api/list-address.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago, useNow } from '../ui/time.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { enabledFilter, triggersAddress } from './address.ts'
import { states, types } from './labels.ts'
import { strings } from './strings.ts'
import { nextTimeOf, whenText } from './when.ts'

const actionLabels: Readonly<Record<TriggerAction, string>> = strings.list.actions

const Next = ({ trigger }: { trigger: Trigger }) => <Ago time={nextTimeOf(trigger, useNow())} />

const linkOf = ({ id }: Trigger) => linkOptions({ to: '/triggers/$id', params: { id } })

const columns: Column<Trigger>[] = [
  {
    id: 'name',
    header: uiStrings.name,
    sort: 'name',
    width: '2fr',
    cell: ({ name }) => <span className="font-medium">{name}</span>,
  },
  {
    id: 'type',
    header: uiStrings.type,
    sort: 'type',
    width: '100px',
    wide: true,
    cell: ({ type }) => <Badge>{types[type]}</Badge>,
  },
  {
    id: 'state',
    header: uiStrings.status,
    width: '90px',
    cell: ({ enabled }) => (
      <Badge {...(enabled ? { tone: 'ok' as const } : {})}>{states[enabled ? 'on' : 'off']}</Badge>
    ),
  },
  {
    id: 'when',
    header: strings.list.columns.when,
    width: '2fr',
    cell: (trigger) => <span className="text-soft">{whenText(trigger)}</span>,
  },
  {
    id: 'starts',
    header: strings.list.columns.starts,
    wide: true,
    width: '90px',
    cell: ({ action }) => actionLabels[action],
  },
  {
    id: 'next',
    header: strings.list.columns.next,
    width: '90px',
    end: true,
    wide: true,
    cell: (trigger) => <Next trigger={trigger} />,
  },
  {
    id: 'count',
    header: strings.list.columns.count,
    sort: 'fire_count',
    width: '60px',
    end: true,
    wide: true,
    cell: ({ fire_count }) => fire_count,
  },
  {
    id: 'last',
    header: strings.list.columns.last,
    sort: 'last_fired_at',
    width: '90px',
    end: true,
    wide: true,
    cell: ({ last_fired_at }) => <Ago time={last_fired_at} />,
  },
]

const TriggersPage = () => {
  const sorting = useSort('created_at', 'desc')
  const change = useChangeAddress()
  const { q = '', kind, is } = triggersAddress(useSearch({ strict: false }))
  const [term, setTerm] = useTerm(q)
  const list = useList('triggers.list', {
    sort: [sorting.sort],
    filters: given([eqFilter('type', kind), enabledFilter(is)]),
    ...searchFor(q),
  })
  const add = (
    <ButtonLink to="/triggers/new" look="primary">
      {strings.create.title}
    </ButtonLink>
  )
  return (
    <Page title={strings.title} note={strings.list.note} actions={add}>
      <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <SearchField label={strings.list.search} className="sm:max-w-64" value={term} onChange={setTerm} />
        <ChoiceChips
          label={uiStrings.type}
          choices={types}
          chosen={kind}
          onChoose={(next) => void change({ kind: next })}
        />
        <ChoiceChips
          label={uiStrings.status}
          choices={states}
          chosen={is}
          onChoose={(next) => void change({ is: next })}
        />
      </div>
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          linkOf={linkOf}
          empty={
            q !== '' || kind !== undefined || is !== undefined ? (
              <Empty
                icon={Zap}
                title={strings.list.noMatch}
                action={<ButtonLink to="/triggers">{strings.events.showAll}</ButtonLink>}
              />
            ) : (
              <Empty icon={Zap} title={strings.list.empty} action={add}>
                {strings.list.emptyText}
              </Empty>
            )
          }
        />
      </Panel>
    </Page>
  )
}

export default TriggersPage
