// Counts of runs by time and outcome: a chart needs no single run.
import type { TaskCounts } from '@millrace/contract/tasks'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { asKind } from '#platform/fairness/work.ts'
import { listedFor } from '#platform/tenancy/visibility.ts'
import { countTasks } from './counts-store.ts'

const dayMs = 86_400_000
const defaultStepSeconds = 1800
const maxBuckets = 200
/** This many rows are read in well under a second. */
const maxCounted = 50_000

const none = { completed: 0, failed: 0, cancelled: 0, active: 0 }

/** Counts the runs that this caller can list. */
export const countRuns = async (
  ctx: Ctx,
  { since, step = defaultStepSeconds }: { since?: string; step?: number },
): Promise<TaskCounts> => {
  const nowMs = ctx.now().getTime()
  const sinceMs = since === undefined ? nowMs - dayMs : Date.parse(since)
  if (Number.isNaN(sinceMs) || sinceMs > nowMs)
    throw fail('validation_error', '`since` must be an RFC 3339 time in the past')
  const buckets = Math.max(1, Math.ceil((nowMs - sinceMs) / (step * 1000)))
  if (buckets > maxBuckets)
    throw fail('validation_error', `\`since\` and \`step\` make ${buckets} buckets; the maximum is ${maxBuckets}`)
  const start = new Date(sinceMs)
  const until = new Date(sinceMs + buckets * step * 1000 - 1)
  const seen = listedFor(ctx.actor, 'tasks', { includeOthers: false, includePrivate: false })
  const span = { since: start.toISOString(), until: until.toISOString(), stepSeconds: step, limit: maxCounted }
  const rows = await asKind('list', () => countTasks(ctx.db, seen, span))
  const all = rows.find(({ bucket }) => bucket === null)
  const total = all ? all.completed + all.failed + all.cancelled + all.active : 0
  const byBucket = new Map(rows.map((row) => [row.bucket, row]))
  return {
    since: wireTime(start),
    step,
    counted_since: total < maxCounted ? wireTime(start) : (all?.oldest ?? wireTime(start)),
    p50_ms: all?.took_ms?.[0] ?? null,
    p95_ms: all?.took_ms?.[1] ?? null,
    buckets: Array.from({ length: buckets }, (_, index) => {
      const { completed, failed, cancelled, active } = byBucket.get(index) ?? none
      return { from: wireTime(new Date(sinceMs + index * step * 1000)), completed, failed, cancelled, active }
    }),
  }
}
