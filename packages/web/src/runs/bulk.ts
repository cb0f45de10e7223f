// One action for many runs: a bounded number of requests at a time, and a summary of the refusals.
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { strings } from './strings.ts'

/** The runs of one action, so that a person can follow what happens to them. */
export const maxBulk = 100
const concurrent = 4

export type BulkAction = 'cancel' | 'retry' | 'delete'
export type Refusal = { reason: string; rows: readonly Task[] }
export type BulkResult = { done: readonly Task[]; refusals: readonly Refusal[] }

/** A known reason why the action does not apply, so that the server is not called. Pure. */
export const refusalOf = (action: BulkAction, task: Task): string | undefined => {
  if (action === 'cancel' && isTerminal(task.status)) return strings.bulk.ended
  if (action === 'retry' && task.app_id === '') return strings.bulk.noApp
  return undefined
}

/** Calls `work` for each run; a refusal does not stop the others. */
export const applyToEach = async (
  action: BulkAction,
  tasks: readonly Task[],
  work: (task: Task) => Promise<unknown>,
): Promise<BulkResult> => {
  const done: Task[] = []
  const refused = new Map<string, Task[]>()
  const refuse = (task: Task, reason: string) => refused.set(reason, [...(refused.get(reason) ?? []), task])
  const waiting = tasks.slice(0, maxBulk)
  const next = async (): Promise<void> => {
    for (let task = waiting.shift(); task; task = waiting.shift()) {
      const reason = refusalOf(action, task)
      if (reason !== undefined) refuse(task, reason)
      else
        try {
          await work(task)
          done.push(task)
        } catch (error) {
          refuse(task, error instanceof Error ? error.message : String(error))
        }
    }
  }
  await Promise.all(Array.from({ length: concurrent }, next))
  return { done, refusals: [...refused].map(([reason, rows]) => ({ reason, rows })) }
}
