// What a workspace spent, by app and by day.
import type { Usage } from '@millrace/contract/billing'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import * as store from './store.ts'

const dayMs = 24 * 60 * 60 * 1000
const defaultDays = 30
const datePattern = /^\d{4}-\d\d-\d\d$/
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

const readTime = (name: string, text: string): Date => {
  const at = new Date(datePattern.test(text) ? `${text}T00:00:00Z` : text)
  if (!(datePattern.test(text) || timePattern.test(text)) || Number.isNaN(at.getTime()))
    throw fail('validation_error', `${name} must be an RFC 3339 time or a date`)
  return at
}

export const usageOf = async (ctx: Ctx, query: { from?: string; to?: string }): Promise<Usage> => {
  // Exclusive, and what happened in this very millisecond counts.
  const to = query.to ? readTime('to', query.to) : new Date(ctx.now().getTime() + 1)
  const from = query.from ? readTime('from', query.from) : new Date(to.getTime() - defaultDays * dayMs)
  const span = [ctx.actor.teamId, from.toISOString(), to.toISOString()] as const
  const byApp = await store.sumRunsByApp(ctx.db, ...span)
  const byDay = await store.sumByDay(ctx.db, ...span)
  return { total: byDay.reduce((total, { microcents }) => total + microcents, 0), by_app: byApp, by_day: byDay }
}
