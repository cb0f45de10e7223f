// Figures over the runs at hand. Pure.
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'

/** How long half of the finished runs took at most, and how long all but the slowest twentieth. */
export type Spread = { p50: number | null; p95: number | null }

const quantile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null

type Run = Pick<Task, 'status' | 'created_at' | 'updated_at'>

export const spreadOf = (tasks: readonly Run[]): Spread => {
  const took = tasks
    .filter(({ status }) => status === taskStatus.completed)
    .map(({ created_at, updated_at }) => Date.parse(updated_at) - Date.parse(created_at))
    .sort((a, b) => a - b)
  return { p50: quantile(took, 0.5), p95: quantile(took, 0.95) }
}

export type Bucket = { fromMs: number; completed: number; failed: number; other: number }

/** Runs per stretch of time, oldest first. */
export const bucketsOf = (tasks: readonly Run[], nowMs: number, count: number, widthMs: number): Bucket[] => {
  const endMs = Math.ceil(nowMs / widthMs) * widthMs
  const buckets = Array.from({ length: count }, (_, index) => ({
    fromMs: endMs - (count - index) * widthMs,
    completed: 0,
    failed: 0,
    other: 0,
  }))
  for (const { status, created_at } of tasks) {
    const bucket = buckets[count - 1 - Math.floor((endMs - 1 - Date.parse(created_at)) / widthMs)]
    if (!bucket) continue
    if (status === taskStatus.completed) bucket.completed += 1
    else if (status === taskStatus.failed) bucket.failed += 1
    else bucket.other += 1
  }
  return buckets
}
