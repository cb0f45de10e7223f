// Usage by app, agent, flow or person.
import type { UsageGroup, UsageSummary } from '@millrace/contract/billing'
import { Link, linkOptions } from '@tanstack/react-router'
import { listOf } from '../api/list.ts'
import { moneyText } from '../money/amounts.ts'
import { usePeople } from '../shell/people.ts'
import { CsvButton } from '../ui/csv-button.tsx'
import { Empty, Panel } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { countText, durationText } from '../ui/time-text.ts'
import { type Grouping, groupings } from './address.ts'
import { strings } from './strings.ts'

const words = strings.columns

const durationOf = (ms: number | null): string => (ms === null ? '–' : durationText(ms))

const columnsFor = (nameOf: (group: UsageGroup) => string, by: Grouping): Column<UsageGroup>[] => [
  {
    id: 'name',
    header: strings.groupings[by],
    width: '3fr',
    cell: (group) => <span className="font-medium">{nameOf(group)}</span>,
  },
  { id: 'runs', header: words.runs, width: '1fr', end: true, cell: ({ runs }) => countText(runs) },
  {
    id: 'failed',
    header: words.failed,
    width: '1fr',
    end: true,
    cell: ({ failed }) => <span className={failed > 0 ? 'text-bad' : 'text-faint'}>{countText(failed)}</span>,
  },
  {
    id: 'tokens',
    header: words.tokens,
    width: '1fr',
    end: true,
    wide: true,
    cell: ({ input_tokens, output_tokens }) => countText(input_tokens + output_tokens),
  },
  { id: 'cost', header: words.cost, width: '1fr', end: true, cell: ({ microcents }) => moneyText(microcents) },
  { id: 'p50', header: words.median, width: '1fr', end: true, wide: true, cell: ({ p50_ms }) => durationOf(p50_ms) },
  { id: 'p95', header: words.p95, width: '1fr', end: true, wide: true, cell: ({ p95_ms }) => durationOf(p95_ms) },
]

const linksOf = {
  app: ({ id }: UsageGroup) => linkOptions({ to: '/runs', search: { app: id } }),
  agent: ({ id }: UsageGroup) => linkOptions({ to: '/agents/$id', params: { id } }),
  flow: ({ id }: UsageGroup) => linkOptions({ to: '/flows/$id', params: { id } }),
  person: ({ id }: UsageGroup) => linkOptions({ to: '/runs', search: { person: id } }),
}

const microcentsPerDollar = 100_000_000

const csvHeader = (by: Grouping): string[] => [
  strings.groupings[by],
  uiStrings.id,
  words.runs,
  words.failed,
  words.cancelled,
  words.inputTokens,
  words.outputTokens,
  words.costUsd,
  `${words.median} (ms)`,
  `${words.p95} (ms)`,
  `${words.p99} (ms)`,
]

const csvRow = (group: UsageGroup, name: string) => [
  name,
  group.id,
  group.runs,
  group.failed,
  group.cancelled,
  group.input_tokens,
  group.output_tokens,
  group.microcents / microcentsPerDollar,
  group.p50_ms,
  group.p95_ms,
  group.p99_ms,
]

const groupsOf = (summary: UsageSummary, by: Grouping): readonly UsageGroup[] =>
  ({ app: summary.by_app, agent: summary.by_agent, flow: summary.by_flow, person: summary.by_person })[by]

export const GroupsTable = ({ summary, by }: { summary: UsageSummary; by: Grouping }) => {
  const { nameOf } = usePeople()
  const groups = groupsOf(summary, by)
  const label = (group: UsageGroup) => (by === 'person' ? nameOf(group.id) : group.name || group.id.slice(0, 8))
  return (
    <Panel
      flush
      title={
        <nav aria-label={strings.groupings.label} className="flex gap-3">
          {groupings.map((each) => (
            <Link
              key={each}
              to="/usage"
              search={(search) => ({ ...search, by: each })}
              replace
              resetScroll={false}
              activeProps={{ 'aria-current': undefined }}
              aria-current={each === by ? 'true' : undefined}
              className="text-soft hover:text-ink aria-[current=true]:text-ink aria-[current=true]:underline"
            >
              {strings.groupings[each]}
            </Link>
          ))}
        </nav>
      }
      actions={
        <CsvButton
          name={`usage-by-${by}`}
          header={csvHeader(by)}
          rows={() => groups.map((group) => csvRow(group, label(group)))}
          disabled={groups.length === 0}
        />
      }
    >
      <Table
        label={strings.groupings[by]}
        list={listOf(groups)}
        columns={columnsFor(label, by)}
        rowKey={({ id }) => id}
        linkOf={linksOf[by]}
        empty={<Empty title={strings.noGroups}>{strings.noGroupsOf[by]}</Empty>}
      />
    </Panel>
  )
}
