// Every transaction of the workspace; filters are chips and at the same time the address.
import type { Transaction, TransactionType } from '@millrace/contract/billing'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Period, periods } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { Id } from '../ui/copy.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { moneyText } from './amounts.ts'
import { type MoneyFilters, moneyFilters, transactionKinds, transactionsRequest } from './filters.ts'

const columns: Column<Transaction>[] = [
  { id: 'type', header: 'What', sort: 'type', cell: ({ type }) => <Badge>{type}</Badge> },
  {
    id: 'notes',
    header: 'For',
    width: '3fr',
    wide: true,
    cell: ({ notes, reference }) => <span className="text-soft">{notes || reference}</span>,
  },
  { id: 'id', header: 'Id', width: '130px', wide: true, cell: ({ id }) => <Id id={id} /> },
  {
    id: 'amount',
    header: 'Amount',
    sort: 'amount',
    width: '110px',
    end: true,
    cell: ({ amount }) => <span className={`figures ${amount > 0 ? 'text-ok' : ''}`}>{moneyText(amount)}</span>,
  },
  {
    id: 'time',
    header: 'When',
    sort: 'created_at',
    width: '90px',
    end: true,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

const Filters = ({ filters, set }: { filters: MoneyFilters; set: (next: MoneyFilters) => void }) => {
  const pick = <K extends keyof MoneyFilters>(key: K, value: MoneyFilters[K]) => {
    const { [key]: old, ...others } = filters
    set(old === value ? others : { ...others, [key]: value })
  }
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5 border-b p-3">
      <legend className="sr-only">Filters</legend>
      {Object.entries(transactionKinds).map(([type, words]) => (
        <Chip key={type} on={filters.type === type} onClick={() => pick('type', type as TransactionType)}>
          {words}
        </Chip>
      ))}
      <span className="mx-1 hidden h-5 w-px bg-line-strong sm:block" aria-hidden />
      {Object.keys(periods).map((each) => (
        <Chip key={each} on={filters.since === each} onClick={() => pick('since', each as Period)}>
          {each}
        </Chip>
      ))}
    </fieldset>
  )
}

export const Transactions = () => {
  const search = useSearch({ from: '/settings/money' })
  // The router adds whatever else stands in the address.
  const filters = useMemo(() => moneyFilters(search), [search])
  const navigate = useNavigate()
  const set = (next: MoneyFilters) =>
    void navigate({ to: '/settings/money', search: next, replace: true, resetScroll: false })
  const request = useMemo(() => transactionsRequest(filters, Date.now()), [filters])
  const list = useList('billing.transactions', request)
  const sorting = useSort('created_at', 'desc')
  const filtered = Object.keys(filters).some((key) => key !== 'sort')
  return (
    <Panel title="Transactions" flush>
      <Filters filters={filters} set={set} />
      <Table
        label="Transactions"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...sorting}
        empty={
          filtered ? (
            <Empty
              title="No transaction matches these filters"
              action={<ButtonLink to="/settings/money">Show all</ButtonLink>}
            />
          ) : (
            <Empty title="No transactions yet" action={<ButtonLink to="/store">Look into the store</ButtonLink>}>
              Runs of apps with a price, and credits, appear here.
            </Empty>
          )
        }
      />
    </Panel>
  )
}
