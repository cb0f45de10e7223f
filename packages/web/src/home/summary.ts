// Computes the figures of the home page from run counts. Pure.
import type { TaskCounts } from '@millrace/contract/tasks'

const widthMs = 30 * 60_000
const bars = 48

/** The query for the last day in half hours, including the current one. The value changes only every half hour. */
export const lastDay = (nowMs: number): { since: string; step: number } => ({
  since: new Date((Math.floor(nowMs / widthMs) + 1 - bars) * widthMs).toISOString(),
  step: widthMs / 1000,
})

export type Bar = { fromMs: number; completed: number; failed: number; other: number }

/** Always a full day of bars; half hours without a count are zero. */
export const barsOf = ({ since, buckets }: TaskCounts): Bar[] =>
  Array.from({ length: bars }, (_, index) => {
    const { completed, failed, cancelled, active } = buckets[index] ?? {
      completed: 0,
      failed: 0,
      cancelled: 0,
      active: 0,
    }
    return { fromMs: Date.parse(since) + index * widthMs, completed, failed, other: cancelled + active }
  })

export type Totals = { all: number; completed: number; failed: number }

export const totalsOf = ({ buckets }: TaskCounts): Totals => {
  const sum = (count: (bucket: TaskCounts['buckets'][number]) => number): number =>
    buckets.reduce((total, bucket) => total + count(bucket), 0)
  const completed = sum((bucket) => bucket.completed)
  const failed = sum((bucket) => bucket.failed)
  return { all: completed + failed + sum((bucket) => bucket.cancelled + bucket.active), completed, failed }
}

/** Whether the server left out the oldest runs because there were too many to count. */
export const isTruncated = ({ since, counted_since }: TaskCounts): boolean => counted_since !== since

type Engines = readonly { status: string; workers: readonly { status: string }[] }[]

/** Busy engines and busy workers, each with the total of running engines. */
export const busyCounts = (
  engines: Engines,
): { engines: [busy: number, all: number]; workers: [busy: number, all: number] } => {
  const running = engines.filter(({ status }) => status === 'running')
  const isBusy = ({ status }: { status: string }): boolean => status === 'busy'
  const workers = running.flatMap((engine) => engine.workers)
  return {
    engines: [running.filter((engine) => engine.workers.some(isBusy)).length, running.length],
    workers: [workers.filter(isBusy).length, workers.length],
  }
}
