// All transactions of the workspace. The filters are chips and part of the address.
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

const Filters = ({ filters, set }: { filters: MoneyFilters; set: (next: MoneyFilters) => void }) => {
  const pick = <K extends keyof MoneyFilters>(key: K, value: MoneyFilters[K]) => {
    const { [key]: old, ...others } = filters
    set(old === value ? others : { ...others, [key]: value })
  }
  return (
    <fieldset className="flex flex-wrap items-center gap-1.5 border-b p-3">
      <legend className="sr-only">{words.filters}</legend>
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
