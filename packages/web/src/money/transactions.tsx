// All transactions of the workspace. The filters are chips and part of the address.
import type { Transaction } from '@millrace/contract/billing'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Period, periods } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { FilterBar, FilterChips, FilterDivider, picked } from '../ui/filter-bar.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { moneyText } from './amounts.ts'
import { type MoneyFilters, moneyFilters, transactionKinds, transactionsRequest } from './filters.ts'
import { strings } from './strings.ts'

const words = strings.transactions

const columns: Column<Transaction>[] = [
  { id: 'type', header: words.columns.type, sort: 'type', cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: 'notes',
    header: words.columns.description,
    width: '3fr',
    wide: true,
    cell: ({ notes, reference }) => <span className="text-soft">{notes || reference}</span>,
  },
  { id: 'id', header: words.columns.id, width: '130px', wide: true, cell: ({ id }) => <Id id={id} /> },
  {
    id: 'amount',
    header: words.columns.amount,
    sort: 'amount',
    width: '110px',
    end: true,
    cell: ({ amount }) => <span className={`figures ${amount > 0 ? 'text-ok' : ''}`}>{moneyText(amount)}</span>,
  },
  {
    id: 'time',
    header: words.columns.time,
    sort: 'created_at',
    width: '90px',
    end: true,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

const Filters = ({ filters, set }: { filters: MoneyFilters; set: (next: MoneyFilters) => void }) => (
  <FilterBar label={words.filters} className="border-b p-3">
    <FilterChips
      choices={transactionKinds}
      chosen={filters.type}
      onPick={(type) => set(picked(filters, 'type', type))}
    />
    <FilterDivider />
    <FilterChips
      choices={Object.keys(periods) as Period[]}
      chosen={filters.since}
      onPick={(since) => set(picked(filters, 'since', since))}
    />
  </FilterBar>
)

export const Transactions = () => {
  const search = useSearch({ from: '/settings/money' })
  // The router passes unknown search parameters through.
  const filters = useMemo(() => moneyFilters(search), [search])
  const navigate = useNavigate()
  const set = (next: MoneyFilters) =>
    void navigate({ to: '/settings/money', search: next, replace: true, resetScroll: false })
  const request = useMemo(() => transactionsRequest(filters, Date.now()), [filters])
  const list = useList('billing.transactions', request)
  const sorting = useSort('created_at', 'desc')
  const filtered = Object.keys(filters).some((key) => key !== 'sort')
  return (
    <Panel title={words.title} flush>
      <Filters filters={filters} set={set} />
      <Table
        label={words.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...sorting}
        empty={
          filtered ? (
            <Empty title={uiStrings.noResults} action={<ButtonLink to="/settings/money">{words.showAll}</ButtonLink>} />
          ) : (
            <Empty title={words.emptyTitle} action={<ButtonLink to="/store">{words.openStore}</ButtonLink>}>
              {words.emptyText}
            </Empty>
          )
        }
      />
    </Panel>
  )
}
