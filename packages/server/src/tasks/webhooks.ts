// Completion webhooks: the delivery is a row written in the transaction that ends the task, and a job that posts it.
// One event with one id; the attempts repeat until a 2xx.
import { newId } from '@millrace/contract/ids'
import { taskStatusText } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Actor } from '../core/actor.ts'
import { guest } from '../core/actor.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { completionWebhookHeaders } from '../core/webhook-signing.ts'
import type { Db } from '../db/database.ts'
import { secretValue } from '../secrets/service.ts'
import { toTaskResult } from './dto.ts'
import type { TaskRow } from './store.ts'

export const webhookJob = 'tasks.webhook'

const retryDelaysMs = [5_000, 30_000]
const attemptTimeoutMs = 10_000

export const queueWebhook = async (ctx: Ctx<Actor>, task: TaskRow): Promise<void> => {
  const id = newId()
  const event = `task.${taskStatusText(task.status)}`
  const body = { event, timestamp: ctx.now().toISOString(), data: toTaskResult(task) }
  await ctx.db
    .insertInto('webhook_deliveries')
    .values({ id, team_id: task.team_id, task_id: task.id, url: task.webhook, event, body: JSON.stringify(body) })
    .execute()
  await ctx.jobs.add(ctx.db, webhookJob, { id, attempt: 0 }, { maxAttempts: 5 })
}

/** A workspace signs its webhooks by having a secret of this name. */
const signingSecretName = 'WEBHOOK_SIGNING_SECRET'

type Attempt = { at: string; status_code: number; error: string; duration_ms: number }

export const deliverWebhook =
  (platform: Platform) =>
  async (payload: Record<string, unknown>): Promise<void> => {
    const { db } = platform
    const ctx = createCtx(platform, guest)
    const number = Number(payload.attempt ?? 0)
    const delivery = await db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('id', '=', String(payload.id))
      .limit(1)
      .executeTakeFirst()
    // A repeated job finds its attempt written down already.
    if (delivery?.status !== 'pending' || (delivery.attempts as Attempt[]).length > number) return
    const secret = await secretValue(ctx, delivery.team_id, signingSecretName)
    const attempt = await post(ctx, delivery.url, delivery.task_id, JSON.stringify(delivery.body), secret)
    const delivered = attempt.status_code >= 200 && attempt.status_code < 300
    const delayMs = retryDelaysMs[number]
    await ctx.tx(async (ctx) => {
      await sql`
        update webhook_deliveries set attempts = attempts || ${JSON.stringify([attempt])}::jsonb,
          status = ${delivered ? 'delivered' : delayMs === undefined ? 'failed' : 'pending'},
          delivered_at = ${delivered ? attempt.at : null}::timestamptz, updated_at = ${attempt.at}::timestamptz
        where id = ${delivery.id}`.execute(ctx.db)
      if (!delivered && delayMs !== undefined)
        await ctx.jobs.add(
          ctx.db,
          webhookJob,
          { id: delivery.id, attempt: number + 1 },
          { runAt: new Date(ctx.now().getTime() + delayMs), maxAttempts: 5 },
        )
    })
  }

const post = async (
  ctx: Ctx<Actor>,
  url: string,
  taskId: string,
  body: string,
  secret: string | null,
): Promise<Attempt> => {
  const at = ctx.now()
  const started = performance.now()
  const result = (status_code: number, error: string): Attempt => ({
    at: at.toISOString(),
    status_code,
    error,
    duration_ms: Math.round(performance.now() - started),
  })
  try {
    const response = await ctx.outbound.fetch(url, {
      method: 'POST',
      headers: completionWebhookHeaders({ id: taskId, body, secret, now: at }),
      body,
      timeoutMs: attemptTimeoutMs,
      redirect: 'manual',
      maxBytes: 64 * 1024,
    })
    await response.body?.cancel()
    return result(response.status, response.ok ? '' : `HTTP ${response.status}`)
  } catch (error) {
    return result(0, error instanceof Error ? error.message : 'The request failed')
  }
}

export const listDeliveries = (db: Db, taskId: string) =>
  db
    .selectFrom('webhook_deliveries')
    .select(['id', 'task_id', 'url', 'event', 'status', 'attempts', 'created_at', 'delivered_at'])
    .where('task_id', '=', taskId)
    .execute()
