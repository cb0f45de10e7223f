// Usage and cost of the workspace: figures, a chart by day, groups, and failures by cause. The view is in the address.
import type { UsageSummary } from '@millrace/contract/billing'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { Chip } from '../ui/chip.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { Figure } from '../ui/figure.tsx'
import { Page, Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { countText, dateTimeText, durationText } from '../ui/time-text.ts'
import { useChangeAddress } from '../ui/use-list-address.ts'
import { firstDay, type Measure, measures, periodDays, type UsagePeriod, usageAddress } from './address.ts'
import { DayChart } from './day-chart.tsx'
import { Failures } from './failures.tsx'
import { GroupsTable } from './groups-table.tsx'
import { strings } from './strings.ts'

const durationOf = (ms: number | null): string => (ms === null ? '–' : durationText(ms))
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`

const Figures = ({ total }: { total: UsageSummary['total'] }) => {
  const words = strings.figures
  const { runs, failed, input_tokens, output_tokens, microcents, p50_ms, p95_ms, p99_ms } = total
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <Figure
        label={words.runs}
        value={countText(runs)}
        note={failed > 0 ? words.failed(percent(failed, runs)) : words.noneFailed}
      />
      <Figure
        label={words.duration}
        value={durationOf(p50_ms)}
        note={words.percentiles(durationOf(p95_ms), durationOf(p99_ms))}
      />
      <Figure
        label={words.tokens}
        value={countText(input_tokens + output_tokens)}
        note={words.inAndOut(countText(input_tokens), countText(output_tokens))}
      />
      <Figure
        label={words.cost}
        value={moneyText(microcents)}
        note={words.perRun(moneyText(runs === 0 ? 0 : microcents / runs))}
      />
    </div>
  )
}

const dayHeader = ['date', 'runs', 'failed', 'cancelled', 'input_tokens', 'output_tokens', 'microcents']
const dayRows = ({ by_day }: UsageSummary) =>
  by_day.map(({ date, runs, failed, cancelled, input_tokens, output_tokens, microcents }) => [
    date,
    runs,
    failed,
    cancelled,
    input_tokens,
    output_tokens,
    microcents,
  ])

const Days = ({ summary, show }: { summary: UsageSummary; show: Measure }) => {
  const change = useChangeAddress()
  return (
    <Panel
      title={strings.chart.title[show]}
      actions={
        <>
          <fieldset className="flex flex-wrap gap-1.5">
            <legend className="sr-only">{strings.measures.label}</legend>
            {measures.map((each) => (
              <Chip key={each} on={each === show} onClick={() => void change({ show: each })}>
                {strings.measures[each]}
              </Chip>
            ))}
          </fieldset>
          <CsvButton name="usage-by-day" header={dayHeader} rows={() => dayRows(summary)} label={strings.exportDays} />
        </>
      }
    >
      <DayChart days={summary.by_day} show={show} />
    </Panel>
  )
}

const UsageReport = ({
  summary,
  show,
  by,
}: {
  summary: UsageSummary
  show: Measure
  by: 'app' | 'agent' | 'flow' | 'person'
}) => (
  <>
    {summary.counted_since === summary.from ? null : (
      <p role="note" className="rounded-md border border-warn/50 bg-warn-soft px-3 py-2">
        {strings.counted(countText(summary.total.runs), dateTimeText(summary.counted_since))}
      </p>
    )}
    <Figures total={summary.total} />
    <Days summary={summary} show={show} />
    <GroupsTable summary={summary} by={by} />
    <Failures failures={summary.failures} />
  </>
)

const UsagePage = () => {
  const { period = '30d', by = 'app', show = 'runs' } = usageAddress(useSearch({ from: '/usage' }))
  const change = useChangeAddress()
  const query = { from: firstDay(period, Date.now()) }
  const { data, error, isPending, refetch } = useQuery({
    ...read('billing.summary', { query }),
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title={strings.title}
      note={strings.note}
      actions={
        <fieldset className="flex flex-wrap gap-1.5">
          <legend className="sr-only">{strings.periods.label}</legend>
          {(Object.keys(periodDays) as UsagePeriod[]).map((each) => (
            <Chip key={each} on={each === period} onClick={() => void change({ period: each })}>
              {strings.periods[each]}
            </Chip>
          ))}
        </fieldset>
      }
    >
      <div className="flex flex-col gap-4">
        {error ? <ProblemNote error={error} retry={() => void refetch()} /> : null}
        {isPending ? <Skeleton className="h-48" /> : null}
        {data ? <UsageReport summary={data} show={show} by={by} /> : null}
      </div>
    </Page>
  )
}

export default UsagePage
