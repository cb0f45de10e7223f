// Retries after the failure of a node's task, and deadlines of attempts.
import { isRecord } from '@millrace/contract/json'

/** `codes`: the failures that are retried; absent for all. */
export type RetryPlan = {
  attempts: number
  backoffMs: number
  factor: number
  maxMs: number
  codes?: readonly string[]
}

const noRetry: RetryPlan = { attempts: 1, backoffMs: 0, factor: 1, maxMs: 0 }

const positive = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : otherwise

/** Reads `node_data.retry`. `attempts` includes the first one; without a policy, there is one attempt. */
export const readRetry = (retry: unknown): RetryPlan => {
  if (!isRecord(retry)) return noRetry
  return {
    attempts: Math.max(1, Math.floor(positive(retry.attempts, 1))),
    backoffMs: positive(retry.backoff_ms, 1_000),
    factor: Math.max(1, positive(retry.factor, 2)),
    maxMs: positive(retry.max_ms, 3_600_000),
    ...(Array.isArray(retry.codes) && { codes: retry.codes.map(String) }),
  }
}

export const retryDelayMs = (plan: RetryPlan, failedAttempt: number): number =>
  Math.min(plan.maxMs, plan.backoffMs * plan.factor ** (failedAttempt - 1))

export type AfterFailure = { retryAtMs: number } | 'give up'

export const afterFailure = (plan: RetryPlan, failedAttempt: number, code: string, nowMs: number): AfterFailure => {
  if (failedAttempt >= plan.attempts || plan.codes?.includes(code) === false) return 'give up'
  return { retryAtMs: nowMs + retryDelayMs(plan, failedAttempt) }
}

export const deadlineMs = (timeoutMs: number | undefined, startedMs: number): number | undefined =>
  timeoutMs === undefined ? undefined : startedMs + timeoutMs
