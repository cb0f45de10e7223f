// Webhooks sent when runs end: their deliveries and the secrets that sign them.
import type { Task } from '@millrace/contract/tasks'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Webhook } from 'lucide-react'
import { useMemo, useState } from 'react'
import { type Period, periods } from '../api/address-filters.ts'
import { useList } from '../api/list.ts'
import { Deliveries, deliveryTones, useDeliveries } from '../runs/deliveries.tsx'
import { type StatusFilter, statusFilters } from '../runs/filters.ts'
import { appNameOf } from '../runs/names.ts'
import { useSession } from '../shell/session.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FilterBar, FilterChips, FilterDivider, picked } from '../ui/filter-bar.tsx'
import { Empty, Page, Panel, ProblemNote, Skeleton, SkeletonRows } from '../ui/page.tsx'
import { Status, TaskStatus } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { strings } from './strings.ts'
import { maxPeriod, type WebhookFilters, webhookFilters, webhooksRequest } from './webhook-filters.ts'
import { WebhookSecrets } from './webhook-secrets.tsx'

/** Deliveries are listed per run, so each row has a query of its own. */
const DeliveryStatus = ({ id }: { id: string }) => {
  const { data, error } = useDeliveries(id)
  if (error) return <span className="text-bad">{error.message}</span>
  if (!data) return <Skeleton className="h-4" />
  const [delivery] = data
  if (!delivery) return <span className="text-faint">{strings.webhooks.notYet}</span>
  return (
    <span title={delivery.parked_reason}>
      <Status tone={deliveryTones[delivery.status]}>
        {delivery.parked_reason ? `${delivery.status}: ${delivery.parked_reason}` : delivery.status}
      </Status>
    </span>
  )
}

const columns: Column<Task>[] = [
  {
    id: 'run',
    header: strings.webhooks.columns.run,
    sort: 'status',
    width: '130px',
    mark: true,
    cell: ({ status }) => <TaskStatus status={status} />,
  },
  {
    id: 'app',
    header: strings.webhooks.columns.app,
    width: '1fr',
    wide: true,
    cell: (task) => (
      <Link to="/runs/$id" params={{ id: task.id }} className="font-medium text-accent hover:underline">
        {appNameOf(task)}
      </Link>
    ),
  },
  {
    id: 'url',
    header: strings.webhooks.columns.url,
    width: '2fr',
    wide: true,
    cell: ({ webhook }) => (
      <code className="font-mono text-[12px] text-soft" title={webhook}>
        {webhook}
      </code>
    ),
  },
  {
    id: 'arrival',
    header: strings.webhooks.columns.delivery,
    width: '2fr',
    cell: ({ id }) => <DeliveryStatus id={id} />,
  },
  {
    id: 'time',
    header: uiStrings.started,
    sort: 'created_at',
    width: '90px',
    end: true,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
]

const Filters = ({ filters, set }: { filters: WebhookFilters; set: (next: WebhookFilters) => void }) => (
  <FilterBar label={strings.webhooks.filters} className="border-b p-3">
    <FilterChips
      choices={Object.keys(statusFilters) as StatusFilter[]}
      chosen={filters.status}
      onPick={(status) => set(picked(filters, 'status', status))}
    />
    <FilterDivider />
    <FilterChips
      choices={Object.keys(periods) as Period[]}
      chosen={filters.since ?? maxPeriod}
      onPick={(since) => set(picked(filters, 'since', since))}
    />
  </FilterBar>
)

const WebhookList = () => {
  const { team } = useSession()
  const search = useSearch({ from: '/webhooks' })
  // The router also passes parameters that this page does not know.
  const filters = useMemo(() => webhookFilters(search), [search])
  const navigate = useNavigate()
  const set = (next: WebhookFilters) =>
    void navigate({ to: '/webhooks', search: next, replace: true, resetScroll: false })
  const request = useMemo(() => webhooksRequest(filters, Date.now()), [filters])
  const list = useList('tasks.list', request)
  const sorting = useSort('created_at', 'desc')
  const [opened, setOpened] = useState<Task | null>(null)
  const filtered = Object.keys(filters).some((key) => key !== 'sort')
  return (
    <Panel title={strings.webhooks.deliveries} flush>
      <Filters filters={filters} set={set} />
      <Table
        label={strings.webhooks.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        {...sorting}
        onOpen={setOpened}
        empty={
          filtered ? (
            <Empty
              icon={Webhook}
              title={strings.webhooks.noMatch}
              action={<ButtonLink to="/webhooks">{strings.webhooks.showAll}</ButtonLink>}
            />
          ) : (
            <Empty
              icon={Webhook}
              title={strings.webhooks.empty}
              action={<ButtonLink to="/apps">{strings.webhooks.chooseApp}</ButtonLink>}
            >
              {strings.webhooks.emptyText}
            </Empty>
          )
        }
      />
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened ? appNameOf(opened) : ''} wide>
        {opened ? <Opened task={opened} mayAct={opened.team_id === team.id} /> : null}
      </Dialog>
    </Panel>
  )
}

const Opened = ({ task, mayAct }: { task: Task; mayAct: boolean }) => {
  const { data, error } = useDeliveries(task.id)
  return (
    <div className="flex flex-col items-start gap-3">
      {error ? <ProblemNote error={error} /> : null}
      {!data && !error ? <SkeletonRows rows={2} /> : null}
      {data?.length === 0 ? <p className="text-soft">{strings.webhooks.pending}</p> : null}
      <div className="w-full">
        <Deliveries id={task.id} mayAct={mayAct} />
      </div>
      <ButtonLink to="/runs/$id" params={{ id: task.id }}>
        {strings.webhooks.openRun}
      </ButtonLink>
    </div>
  )
}

const WebhooksPage = () => (
  <Page title={strings.webhooks.title} note={strings.webhooks.note}>
    <div className="flex flex-col gap-4">
      <WebhookSecrets />
      <WebhookList />
    </div>
  </Page>
)

export default WebhooksPage
