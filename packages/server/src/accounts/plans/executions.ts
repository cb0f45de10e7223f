// Counts the executed tasks of a workspace per UTC month. With a limit, the count is incremented in the transaction
// that accepts the task, so the limit is exact; other counts are collected in memory and written a second later.
import Type from 'typebox'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { subject } from '#platform/core/subject.ts'
import { startWatch } from '#platform/core/watch.ts'
import * as store from './executions-store.ts'
import { cachedEntitlement } from './limits-cache.ts'
import { refuse } from './refusal.ts'
import { isDisabled, isUnbounded, type Resolved } from './rules.ts'

const flushMs = 1_000

/** The execution limit of a workspace's plan, read once per task. */
export type Meter = { readonly limited: boolean; readonly resolved: Resolved }

export const meterOf = async (ctx: Ctx<Member>): Promise<Meter> => {
  const resolved = await cachedEntitlement(ctx, 'task_executions', ctx.actor.teamId)
  return { limited: !isUnbounded(resolved), resolved }
}

/** YYYY-MM-DD: the first day of the month. */
const monthOf = (at: Date): string => `${at.toISOString().slice(0, 7)}-01`

/**
 * Counts one execution of a workspace with a limit, or throws the refusal. Call in the transaction that writes the
 * task.
 */
export const countExecution = async (ctx: Ctx<Member>, { limited, resolved }: Meter): Promise<void> => {
  if (!limited) return
  const { teamId } = ctx.actor
  const month = monthOf(ctx.now())
  const most = isDisabled(resolved) ? 0 : resolved.limit
  const blocks = resolved.enforcement === 'block'
  const count =
    most === 0 && blocks ? undefined : await store.raise(ctx.db, { teamId, month, most: blocks ? most : null })
  if (count === undefined) return refuse(ctx, resolved, await store.findCount(ctx.db, teamId, month))
  if (count > most) await refuse(ctx, resolved, count - 1)
}

const executedSubject = subject('tasks:executed', 'here', Type.Object({ teamId: Type.String(), many: Type.Integer() }))

/** Counts written tasks of a workspace without a limit, after their transaction commits. */
export const reportExecutions = (ctx: Ctx<Member>, { limited }: Meter, many = 1): void => {
  if (!limited && many > 0) ctx.emit({ subject: executedSubject, data: { teamId: ctx.actor.teamId, many } })
}

/** Collects reported executions and writes them every second and at shutdown. */
export const startCounting = (platform: Platform): (() => Promise<void>) => {
  let collected = new Map<string, store.Executions>()
  const add = ({ teamId, month, count }: store.Executions): void => {
    const key = `${teamId}/${month}`
    collected.set(key, { teamId, month, count: count + (collected.get(key)?.count ?? 0) })
  }
  const unsubscribe = platform.bus.subscribe(executedSubject, ({ teamId, many }) =>
    add({ teamId, month: monthOf(platform.now()), count: many }),
  )
  const flush = async (): Promise<void> => {
    if (collected.size === 0) return
    const writing = [...collected.values()]
    collected = new Map()
    await store.addAll(platform.db, writing).catch((error: unknown) => {
      for (const one of writing) add(one)
      throw error
    })
  }
  const stop = startWatch(platform, { everyMs: flushMs, poll: flush, failed: 'executions could not be counted' })
  return async () => {
    unsubscribe()
    await stop()
    await flush()
  }
}

export const executionsOf = (db: Platform['db'], teamId: string, now: Date): Promise<number> =>
  store.findCount(db, teamId, monthOf(now))

/** A server with a slow clock may still count into the previous month. */
export const deleteOldMonths = ({ db, now }: Platform): Promise<void> => {
  const at = now()
  return store.deleteBefore(db, monthOf(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1))))
}
