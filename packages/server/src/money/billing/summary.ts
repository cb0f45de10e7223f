// The usage summary of a workspace: runs, failures, tokens and money by day, app, agent, flow and person.
import type { UsageGroup, UsageSummary } from '@millrace/contract/billing'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { asKind } from '#platform/fairness/work.ts'
import { type Dimension, groupFailures, type SummaryRow, summarizeRuns } from './summary-store.ts'
import { spanOf } from './usage.ts'

const dayMs = 86_400_000
const maxDays = 366
const maxGroups = 100
const maxFailures = 50
/** One statement reads this many rows with their outputs, for the tokens. */
const maxCounted = 50_000

const countsOf = ({ runs, failed, cancelled, microcents, input_tokens, output_tokens }: SummaryRow) => ({
  runs,
  failed,
  cancelled,
  microcents,
  input_tokens,
  output_tokens,
})

const noRuns: SummaryRow = {
  dimension: 'total',
  key: '',
  name: null,
  runs: 0,
  failed: 0,
  cancelled: 0,
  microcents: 0,
  input_tokens: 0,
  output_tokens: 0,
  oldest: '',
  took_ms: null,
}

const timesOf = ({ took_ms }: SummaryRow) => ({
  p50_ms: took_ms?.[0] ?? null,
  p95_ms: took_ms?.[1] ?? null,
  p99_ms: took_ms?.[2] ?? null,
})

const daysIn = (from: Date, to: Date): string[] => {
  const first = Math.floor(from.getTime() / dayMs)
  const last = Math.floor((to.getTime() - 1) / dayMs)
  if (last - first >= maxDays) throw fail('validation_error', `The period has more than ${maxDays} days`)
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    new Date((first + index) * dayMs).toISOString().slice(0, 10),
  )
}

/** Counts the runs that this caller can list. */
export const summaryOf = async (ctx: Ctx, query: { from?: string; to?: string }): Promise<UsageSummary> => {
  const { from, to } = spanOf(ctx, query)
  const days = daysIn(from, to)
  const span = { from: from.toISOString(), to: to.toISOString(), limit: maxCounted }
  const [rows, failures] = await asKind('list', () =>
    Promise.all([
      summarizeRuns(ctx.db, ctx.actor, { ...span, groups: maxGroups }),
      groupFailures(ctx.db, ctx.actor, { ...span, groups: maxFailures }),
    ]),
  )
  const of = (dimension: Dimension) => rows.filter((row) => row.dimension === dimension)
  const groupsOf = (dimension: Dimension): UsageGroup[] =>
    of(dimension).map((row) => ({ id: row.key, name: row.name ?? '', ...countsOf(row), ...timesOf(row) }))
  const total = rows.find(({ dimension }) => dimension === 'total') ?? noRuns
  const byDay = new Map(of('day').map((row) => [row.key, row]))
  return {
    from: wireTime(from),
    to: wireTime(to),
    counted_since: total.runs < maxCounted ? wireTime(from) : total.oldest,
    total: { ...countsOf(total), ...timesOf(total) },
    by_day: days.map((date) => ({ date, ...countsOf(byDay.get(date) ?? noRuns) })),
    by_app: groupsOf('app'),
    by_agent: groupsOf('agent'),
    by_flow: groupsOf('flow'),
    by_person: groupsOf('person'),
    failures: failures.map((failure) => ({ ...failure, ref: failure.ref ?? '' })),
  }
}
