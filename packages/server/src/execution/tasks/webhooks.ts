// Completion webhooks. A delivery is a row, written in the transaction that ends the task, and a job that posts it. It
// is one event with one id. Attempts repeat over days until the receiver answers 2xx; after the last attempt the
// delivery is parked with the reason.
import { newId } from '@millrace/contract/ids'
import { taskStatusText } from '@millrace/contract/task-status'
import type { WebhookAttempt } from '@millrace/contract/tasks'
import { hasSecret, secretValue } from '#connections/secrets/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import { system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { completionWebhookHeaders } from '#platform/core/webhook-signing.ts'
import { inJobQueue, type JobHandler } from '#platform/jobs/jobs.ts'
import { outboundReason } from '#platform/outbound/failures.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import { taskResultDto } from './dto.ts'
import type { TaskRow } from './row.ts'
import { taskKey } from './spans.ts'
import { findTask } from './store.ts'
import { delayAfter, exhausted, refusalOf } from './webhook-schedule.ts'
import * as store from './webhook-store.ts'

export const webhookJob = 'tasks.webhook'

const attemptTimeoutMs = 10_000

/**
 * A workspace signs its webhooks by creating a secret with this name. During a rotation the former secret signs too.
 */
const signingSecretName = 'WEBHOOK_SIGNING_SECRET'
const formerSecretName = 'WEBHOOK_SIGNING_SECRET_PREVIOUS'

/**
 * Limits the deliveries of one workspace in progress, so that slow receivers do not delay the deliveries of other
 * workspaces.
 */
const rowsPerTeam = 4

const queueAttempt = (ctx: Ctx<Actor>, delivery: { id: string; team_id: string }, attempt: number, runAt?: Date) =>
  ctx.jobs.add(
    ctx.db,
    webhookJob,
    { id: delivery.id, attempt, team_id: delivery.team_id },
    {
      maxAttempts: 5,
      queue: `${webhookJob}:${delivery.team_id}:${delivery.id.charCodeAt(delivery.id.length - 1) % rowsPerTeam}`,
      ...(runAt ? { runAt } : {}),
    },
  )

export const queueWebhook = async (ctx: Ctx<Actor>, task: TaskRow): Promise<void> => {
  const event = `task.${taskStatusText(task.status)}`
  const now = wireTime(ctx.now())
  const delivery = { id: newId(), team_id: task.team_id, task_id: task.id, url: task.webhook, event }
  const body = JSON.stringify({ event, timestamp: now, data: taskResultDto(task) })
  await store.insertDelivery(ctx.db, { ...delivery, body, next_attempt_at: now })
  await queueAttempt(ctx, delivery, 0)
}

/** Adds a notice to the response if the completion webhook of this run will have no signature. */
export const noticeUnsigned = async (ctx: Ctx<Member>, webhook: string | undefined): Promise<void> => {
  if (!webhook || (await hasSecret(ctx, ctx.actor.teamId, signingSecretName))) return
  ctx.notice({
    level: 'warning',
    code: 'webhook_unsigned',
    message: `The webhook will not be signed, because the workspace has no secret ${signingSecretName}`,
  })
}

export const deliverWebhook = (platform: Platform): JobHandler =>
  inJobQueue('webhooks', async (payload) => {
    const ctx = createCtx(platform, system)
    const number = Number(payload.attempt ?? 0)
    const delivery = await store.findDelivery(ctx.db, String(payload.id))
    // A repeated job finds its attempt already recorded.
    if (delivery?.status !== 'pending' || delivery.round_attempts > number) return
    const { attempt, isForbidden } = await post(ctx, delivery)
    const delivered = attempt.status_code >= 200 && attempt.status_code < 300
    const refusal = delivered ? '' : refusalOf(attempt, isForbidden)
    const waitMs = delivered || refusal !== '' ? null : delayAfter(number + 1, Math.random())
    const next = waitMs === null ? null : new Date(ctx.now().getTime() + waitMs)
    await ctx.tx(async (ctx) => {
      await store.recordAttempt(ctx.db, delivery.id, attempt, {
        status: delivered ? 'delivered' : next ? 'pending' : 'parked',
        parkedReason: delivered || next ? '' : refusal || exhausted(attempt),
        at: next?.toISOString() ?? null,
      })
      if (next) await queueAttempt(ctx, delivery, number + 1, next)
    })
  })

const post = async (
  ctx: Ctx<Actor>,
  delivery: store.FoundDelivery,
): Promise<{ attempt: WebhookAttempt; isForbidden: boolean }> => {
  const [secret, former] = await Promise.all(
    [signingSecretName, formerSecretName].map((name) => secretValue(ctx, delivery.team_id, name)),
  )
  const body = JSON.stringify(delivery.body)
  const at = ctx.now()
  const traceparent = ctx.tracing.within(delivery.traceparent, taskKey(delivery.task_id))
  const started = performance.now()
  const result = (status_code: number, error: string): WebhookAttempt => ({
    at: at.toISOString(),
    status_code,
    error,
    duration_ms: Math.round(performance.now() - started),
  })
  try {
    const response = await ctx.outbound.fetch(delivery.url, {
      method: 'POST',
      headers: {
        ...completionWebhookHeaders({ id: delivery.task_id, body, secret: secret ?? null, former, now: at }),
        ...(traceparent === '' ? {} : { traceparent }),
      },
      body,
      timeoutMs: attemptTimeoutMs,
      redirect: 'manual',
      maxBytes: 64 * 1024,
    })
    await response.body?.cancel()
    return { attempt: result(response.status, response.ok ? '' : `HTTP ${response.status}`), isForbidden: false }
  } catch (error) {
    const text = error instanceof Error ? error.message : 'The request failed'
    return { attempt: result(0, text), isForbidden: outboundReason(error) === 'refused' }
  }
}

export const deliveryDto = ({ attempts, parked_reason: reason, ...delivery }: store.ShownDelivery) => ({
  ...delivery,
  attempts: attempts as WebhookAttempt[],
  ...(reason === '' ? {} : { parked_reason: reason }),
})

/** Sends the event again immediately, and repeats the whole schedule if that fails. The id stays the same. */
export const redeliver = (ctx: Ctx<Member>, taskId: string) =>
  ctx.tx(async (ctx) => {
    const task = await assertWritable(ctx, await findTask(ctx.db, taskId), 'task')
    const row = await store.beginRound(ctx.db, task.id, ctx.now().toISOString())
    if (!row) throw fail('invalid_state', 'The task has no completion webhook to send')
    await queueAttempt(ctx, row, 0)
    await recordAudit(ctx, 'task.webhook_redelivered', { resourceType: 'task', resourceId: task.id })
    const [shown] = await store.listDeliveries(ctx.db, task.id)
    if (!shown) throw fail('not_found', 'Delivery not found')
    return deliveryDto(shown)
  })
