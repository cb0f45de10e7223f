// The list of runs. Filters are chips and part of the address; rows update live.
import type { Task } from '@millrace/contract/tasks'
import { useQuery } from '@tanstack/react-query'
import { linkOptions, useNavigate, useSearch } from '@tanstack/react-router'
import { SquarePlay } from 'lucide-react'
import { useMemo } from 'react'
import { type Period, periods } from '../api/address-filters.ts'
import { type LongList, useLongList } from '../api/long-list.ts'
import { read } from '../api/queries.ts'
import { usePeople } from '../shell/people.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { FilterBar, FilterChips, FilterDivider, FilterSelect, picked, RemovableFilter } from '../ui/filter-bar.tsx'
import { ListExport } from '../ui/list-export.tsx'
import { LongTable } from '../ui/long-table.tsx'
import { type NavTab, NavTabs } from '../ui/nav-tabs.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { selectionColumn, useSelection } from '../ui/selection.tsx'
import { TaskStatus } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import type { Column } from '../ui/table.tsx'
import { Ago, Took } from '../ui/time.tsx'
import { maxBulk } from './bulk.ts'
import { BulkBar } from './bulk-bar.tsx'
import { useEngineNames } from './engine-names.ts'
import {
  listRequest,
  type OriginFilter,
  type RunFilters,
  runFilters,
  type StatusFilter,
  statusFilters,
} from './filters.ts'
import { appNameOf } from './names.ts'
import { workStartOf } from './phases.ts'
import { endOf } from './run-view.tsx'
import { runsCsv } from './runs-csv.ts'
import { strings } from './strings.ts'

const linkOf = ({ id }: Task) => linkOptions({ to: '/runs/$id', params: { id } })

/** Without the time in the queue. */
const WorkTime = ({ task }: { task: Task }) => {
  const from = workStartOf(task.events)
  return from === undefined ? <span className="text-faint">–</span> : <Took from={from} to={endOf(task)} />
}

const columns: Column<Task>[] = [
  {
    id: 'status',
    header: strings.columns.status,
    width: '130px',
    mark: true,
    sort: 'status',
    cell: ({ status }) => <TaskStatus status={status} />,
  },
  {
    id: 'app',
    header: strings.columns.app,
    main: true,
    width: '2fr',
    cell: (task) => (
      <span>
        <span className="font-medium">{appNameOf(task)}</span>
        {task.function && task.function !== 'run' ? <span className="text-faint"> : {task.function}</span> : null}
      </span>
    ),
  },
  {
    id: 'reason',
    header: strings.columns.error,
    width: '2fr',
    wide: true,
    cell: ({ error }) => <span className="text-bad">{error?.split('\n')[0] ?? ''}</span>,
  },
  { id: 'id', header: strings.columns.id, width: '130px', wide: true, cell: ({ id }) => <Id id={id} /> },
  {
    id: 'took',
    header: strings.columns.duration,
    width: '90px',
    end: true,
    wide: true,
    cell: (task) => <WorkTime task={task} />,
  },
  {
    id: 'time',
    header: strings.columns.started,
    width: '90px',
    sort: 'created_at',
    end: true,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

/** The resource of a filter, with its name. */
const FilterName = ({ of, id }: { of: 'app' | 'engine' | 'flow_run'; id: string }) => {
  const app = useQuery({ ...read('apps.get', { path: { id } }), enabled: of === 'app', retry: false })
  const engines = useEngineNames()
  const name = app.data?.title || app.data?.name || engines.get(id) || id.slice(0, 8)
  return strings.filterOf(of, name)
}

const Filters = ({ filters, set }: { filters: RunFilters; set: (next: RunFilters) => void }) => {
  const pick = <K extends keyof RunFilters>(key: K, value: RunFilters[K]) => set(picked(filters, key, value))
  const { people } = usePeople()
  const named = (['app', 'engine', 'flow_run'] as const).filter((key) => filters[key] !== undefined)
  return (
    <FilterBar label={strings.filters}>
      <FilterSelect
        label={strings.startedBy}
        any={strings.anyone}
        options={people}
        chosen={filters.person}
        onPick={(person) => pick('person', person)}
      />
      <FilterChips
        choices={Object.keys(statusFilters) as StatusFilter[]}
        chosen={filters.status}
        onPick={(status) => pick('status', status)}
      />
      <FilterDivider />
      <FilterChips
        choices={Object.keys(periods) as Period[]}
        chosen={filters.since}
        onPick={(since) => pick('since', since)}
      />
      {named.map((key) => (
        <RemovableFilter key={key} removeLabel={strings.removeFilter} onRemove={() => pick(key, undefined)}>
          <FilterName of={key} id={filters[key] ?? ''} />
        </RemovableFilter>
      ))}
    </FilterBar>
  )
}

const tabsFor = (chosen: OriginFilter | undefined): NavTab[] => [
  { to: '/runs', label: uiStrings.all, current: chosen === undefined },
  ...(['apps', 'flows', 'agents'] as const).map((of) => ({
    to: '/runs' as const,
    search: { of },
    label: strings.origins[of],
    current: chosen === of,
  })),
]

const rowName = (task: Task): string => strings.runOf(appNameOf(task), task.id.slice(0, 8))

const firstRows = ({ length, rowAt }: LongList<Task>): Task[] =>
  Array.from({ length: Math.min(length, maxBulk) }, (_, index) => rowAt(index)).filter((row) => row !== undefined)

const RunsPage = () => {
  const search = useSearch({ from: '/runs' })
  // The router passes unknown search parameters through.
  const filters = useMemo(() => runFilters(search), [search])
  const navigate = useNavigate()
  const set = (next: RunFilters) => void navigate({ to: '/runs', search: next, replace: true })
  const request = useMemo(() => listRequest(filters, Date.now()), [filters])
  const list = useLongList('tasks.list', request)
  const selection = useSelection<Task>(list.requestKey, maxBulk)
  const shown = useMemo(() => [selectionColumn(selection, rowName), ...columns], [selection])
  const [field = 'created_at', dir = 'desc'] = (filters.sort ?? 'created_at:desc').split(':')
  const filtered = Object.keys(filters).some((key) => key !== 'sort')
  return (
    <Page
      title={strings.title}
      full
      note={list.total > 0 ? `${list.total.toLocaleString()} runs` : undefined}
      actions={
        <>
          <Filters filters={filters} set={set} />
          <ListExport list="tasks.list" request={request} name="runs" toCsv={runsCsv} />
        </>
      }
    >
      <div className="px-4 md:px-6">
        <NavTabs label={strings.origins.label} tabs={tabsFor(filters.of)} />
      </div>
      <BulkBar selection={selection} first={firstRows(list)} />
      <div className="mx-4 mb-4 flex min-h-0 grow flex-col overflow-hidden rounded-lg border bg-surface md:mx-6">
        <LongTable
          label={strings.title}
          list={list}
          columns={shown}
          rowKey={({ id }) => id}
          sort={{ field, dir: dir === 'asc' ? 'asc' : 'desc' }}
          onSort={(sort) => set({ ...filters, sort: `${sort.field}:${sort.dir}` })}
          linkOf={linkOf}
          empty={
            filtered ? (
              <Empty
                icon={SquarePlay}
                title={uiStrings.noResults}
                action={<ButtonLink to="/runs">{strings.showAll}</ButtonLink>}
              />
            ) : (
              <Empty
                icon={SquarePlay}
                title={strings.emptyTitle}
                action={
                  <ButtonLink to="/apps" look="primary">
                    {strings.runApp}
                  </ButtonLink>
                }
              >
                {strings.emptyText}
              </Empty>
            )
          }
        />
      </div>
    </Page>
  )
}

export default RunsPage
