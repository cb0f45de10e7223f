// Spending of a workspace by app and by day.
import type { Metering, Usage } from '@millrace/contract/billing'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isCalendarDay, wireTime } from '#platform/core/times.ts'
import { sumMeters } from './metering-store.ts'
import * as store from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const defaultDays = 30
const timePattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

const readTime = (name: string, text: string): Date => {
  const [, date, time] = timePattern.exec(text) ?? []
  const at = new Date(time === undefined ? `${date}T00:00:00Z` : text)
  if (date === undefined || !isCalendarDay(date) || Number.isNaN(at.getTime()))
    throw fail('validation_error', `\`${name}\` must be an RFC 3339 time or a date`)
  return at
}

export const spanOf = (ctx: Ctx, query: { from?: string; to?: string }) => {
  // Exclusive; one millisecond more includes events of the current millisecond.
  const to = query.to ? readTime('to', query.to) : new Date(ctx.now().getTime() + 1)
  const from = query.from ? readTime('from', query.from) : new Date(to.getTime() - defaultDays * dayMs)
  return { from, to, span: [ctx.actor.teamId, from.toISOString(), to.toISOString()] as const }
}

const noUse: Metering['total'] = {
  tasks: 0,
  cpu_seconds: 0,
  gpu_seconds: 0,
  ram_byte_seconds: 0,
  input_tokens: 0,
  output_tokens: 0,
  input_bytes: 0,
  output_bytes: 0,
}

/** Resource usage of runs, paid or free. */
export const meteringOf = async (ctx: Ctx, query: { from?: string; to?: string }): Promise<Metering> => {
  const { from, to, span } = spanOf(ctx, query)
  const byApp = await sumMeters(ctx.db, ...span)
  const total = { ...noUse }
  for (const name of Object.keys(noUse) as (keyof typeof noUse)[])
    total[name] = byApp.reduce((sum, row) => sum + row[name], 0)
  return { from: wireTime(from), to: wireTime(to), total, by_app: byApp }
}

export const usageOf = async (ctx: Ctx, query: { from?: string; to?: string }): Promise<Usage> => {
  const { span } = spanOf(ctx, query)
  const byApp = await store.sumRunsByApp(ctx.db, ...span)
  const byDay = await store.sumByDay(ctx.db, ...span)
  return { total: byDay.reduce((total, { microcents }) => total + microcents, 0), by_app: byApp, by_day: byDay }
}
