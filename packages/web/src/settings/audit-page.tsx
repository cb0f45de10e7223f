// The audit log with its filters, and the verification of its hash chain.
import type { AuditEntry, AuditFault } from '@millrace/contract/access'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useMemo, useState } from 'react'
import { oneOf, type Period, periods } from '../api/address-filters.ts'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { usePeople } from '../shell/people.ts'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Id } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FilterBar, FilterChips, FilterDivider, FilterSelect, picked, RemovableFilter } from '../ui/filter-bar.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { ListExport } from '../ui/list-export.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { StatusIcon } from '../ui/status.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { auditCsv, resourceNameOf } from './audit-csv.ts'
import { type ActorKind, type AuditFilters, auditFilters, auditRequest } from './audit-filters.ts'
import { SettingsFrame } from './settings-frame.tsx'
import { strings } from './strings.ts'

/** The page of each kind of resource that has one at its id. */
const pages = {
  agent: '/agents/$id',
  artifact: '/artifacts/$id',
  chat: '/chats/$id',
  engine: '/engines/$id',
  flow: '/flows/$id',
  knowledge: '/knowledge/$id',
  remote: '/remotes/$id',
  task: '/runs/$id',
  trigger: '/triggers/$id',
} as const

const ResourceLink = ({ entry: { resource_type, resource_id } }: { entry: AuditEntry }) => {
  const words = resource_type.replaceAll('_', ' ')
  const page = oneOf<keyof typeof pages>(resource_type, pages)
  if (page === undefined) return words
  return (
    <Link to={pages[page]} params={{ id: resource_id }} className="text-accent hover:underline">
      {words}
    </Link>
  )
}

const columnsFor = (nameOf: (userId: string) => string): Column<AuditEntry>[] => [
  {
    id: 'time',
    header: strings.audit.columns.time,
    sort: 'created_at',
    width: '90px',
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
  {
    id: 'action',
    header: strings.audit.columns.action,
    sort: 'action',
    width: '2fr',
    cell: ({ action }) => <code className="font-mono text-[12px]">{action}</code>,
  },
  {
    id: 'resource',
    header: strings.audit.columns.resource,
    sort: 'resource_type',
    width: '2fr',
    wide: true,
    cell: (entry) => (
      <span className="inline-flex items-center gap-1 text-soft">
        <ResourceLink entry={entry} /> <span className="truncate text-ink">{resourceNameOf(entry)}</span>{' '}
        <Id id={entry.resource_id} />
      </span>
    ),
  },
  {
    id: 'actor',
    header: strings.audit.columns.actor,
    sort: 'actor_kind',
    width: '2fr',
    cell: ({ actor_kind, actor_user_id }) => (
      <span>
        {nameOf(actor_user_id)} <span className="text-faint">{actor_kind}</span>
      </span>
    ),
  },
  { id: 'ip', header: strings.audit.columns.ip, sort: 'ip', width: '120px', wide: true, cell: ({ ip }) => ip },
]

const faultLabels: Readonly<Record<AuditFault, string>> = strings.audit.faults

/** Verifies every entry of the log against its hash chain and its signed checkpoints. */
const Verify = () => {
  const verify = useAct({ work: () => call('audit.verify') })
  const { data } = verify
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button busy={verify.isPending} onClick={() => verify.mutate()}>
        <ShieldCheck aria-hidden /> {strings.audit.verify}
      </Button>
      <output className="flex min-w-0 items-center gap-2 text-soft">
        {verify.isPending ? strings.audit.verifying : null}
        {data && !verify.isPending ? (
          <>
            <StatusIcon tone={data.ok ? 'ok' : 'bad'} />
            {data.ok ? (
              <span>
                {strings.audit.intact(data.rows)} <Ago time={data.checked_at} />
              </span>
            ) : (
              <span className="text-bad">
                {strings.audit.broken(data.reason ? faultLabels[data.reason] : strings.audit.unknownFault)}
              </span>
            )}
          </>
        ) : null}
      </output>
    </div>
  )
}

const actorLabels: Readonly<Record<ActorKind, string>> = strings.audit.actors

type FiltersProps = {
  filters: AuditFilters
  people: readonly { id: string; name: string }[]
  set: (next: AuditFilters) => void
}

const Filters = ({ filters, people, set }: FiltersProps) => {
  const pick = <K extends keyof AuditFilters>(key: K, value: AuditFilters[K]) => set(picked(filters, key, value))
  return (
    <FilterBar label={strings.audit.filters} className="mb-4">
      <SearchField
        label={strings.audit.filterAction}
        hint={strings.audit.filterActionHint}
        className="sm:max-w-56"
        value={filters.action ?? ''}
        onChange={(term) => pick('action', term.trim() || undefined)}
      />
      <FilterSelect
        label={strings.audit.filterPerson}
        any={strings.audit.anyone}
        options={people}
        chosen={filters.person}
        onPick={(person) => pick('person', person)}
      />
      <FilterChips choices={actorLabels} chosen={filters.by} onPick={(by) => pick('by', by)} />
      <FilterDivider />
      <FilterChips
        choices={Object.keys(periods) as Period[]}
        chosen={filters.since}
        onPick={(since) => pick('since', since)}
      />
      {filters.on === undefined ? null : (
        <RemovableFilter removeLabel={strings.audit.removeFilter} onRemove={() => pick('on', undefined)}>
          {strings.audit.resourceFilter(filters.on.slice(0, 8))}
        </RemovableFilter>
      )}
    </FilterBar>
  )
}

const AuditPage = () => {
  const search = useSearch({ from: '/settings/audit' })
  // The router also passes parameters that this page does not know.
  const filters = useMemo(() => auditFilters(search), [search])
  const navigate = useNavigate()
  const set = (next: AuditFilters) => void navigate({ to: '/settings/audit', search: next, replace: true })
  const [opened, setOpened] = useState<AuditEntry | null>(null)
  const request = useMemo(() => auditRequest(filters, Date.now()), [filters])
  const list = useList('audit.list', request)
  const { people, nameOf } = usePeople()
  const sorting = useSort('created_at', 'desc')
  const filtered = Object.keys(filters).some((key) => key !== 'sort')
  return (
    <SettingsFrame
      title={strings.audit.title}
      actions={
        <ListExport list="audit.list" request={request} name="audit-log" toCsv={(rows) => auditCsv(rows, nameOf)} />
      }
    >
      <Verify />
      <Filters filters={filters} people={people} set={set} />
      <Panel flush>
        <Table
          label={strings.audit.title}
          list={list}
          columns={columnsFor(nameOf)}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={setOpened}
          empty={
            filtered ? (
              <Empty
                title={strings.audit.noMatch}
                action={<ButtonLink to="/settings/audit">{strings.audit.showAll}</ButtonLink>}
              />
            ) : (
              <Empty title={strings.audit.empty} />
            )
          }
        />
      </Panel>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.action ?? ''} wide>
        {opened ? (
          <div className="flex flex-col items-start gap-3">
            <JsonView value={opened} />
            <Button
              onClick={() => {
                setOpened(null)
                set({ on: opened.resource_id })
              }}
            >
              {strings.audit.sameResource(opened.resource_type.replaceAll('_', ' '))}
            </Button>
          </div>
        ) : null}
      </Dialog>
    </SettingsFrame>
  )
}

export default AuditPage
