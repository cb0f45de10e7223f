// Webhook ingestion. A 200 means that the fire is durable; the dispatcher starts its run afterwards.
//
// Triggers are cached, so that a delivery needs no query. Correctness does not depend on the cache: the statement that
// inserts a delivery checks that the trigger is unchanged, and a delivery is refused only after reading the trigger
// again.
import { createSecretKey } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import type { EventFilter, HookAnswer } from '@millrace/contract/triggers'
import { LRUCache } from 'lru-cache'
import { requireRowRoom } from '#accounts/plans/service.ts'
import { secretValue } from '#connections/secrets/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { Wire } from '#platform/core/operation.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { findHookTrigger, type KnownTrigger, type NewDelivery } from './fires-store.ts'
import { createDeliveryIntake, type DeliveryIntake } from './intake.ts'
import { secretRef, verifyingSource } from './sources.ts'
import { updateRefusal } from './store.ts'
import { notifyLists, waitingSubject } from './subjects.ts'
import { type DeliveryVerdict, type HookTrigger, type IncomingDelivery, verifyDelivery } from './verify-delivery.ts'

type Refused = Extract<DeliveryVerdict, { kind: 'refused' }>
type CachedTrigger = HookTrigger & KnownTrigger & { readonly team_id: string; readonly loadedMs: number }

type Route = {
  readonly triggers: LRUCache<string, CachedTrigger>
  /** When the last refusal of a trigger was stored. */
  readonly refusals: LRUCache<string, number>
  readonly intake: DeliveryIntake
}

const maxCached = 10_000
/** Limits how long a secret stays in memory. */
const cacheMs = 60_000
/** Limits the writes that a stranger with the URL can cause. */
const refusalStoredEveryMs = 5_000
/** A trigger that changes this often is misconfigured; the sender retries. */
const maxReads = 5

const routeOf = perPlatform(
  ({ db, bus, now }: Platform): Route => ({
    triggers: new LRUCache({ max: maxCached }),
    refusals: new LRUCache({ max: maxCached }),
    intake: createDeliveryIntake({ db, now, onStored: () => bus.publish(waitingSubject, null) }),
  }),
)

/** True if more deliveries arrive than can be inserted at once. */
export const isOverloaded = (platform: Platform): boolean => routeOf(platform).intake.isOverloaded()

const accepted: HookAnswer = { ok: true, success: true, data: { ok: true }, messages: [] }

export const receiveHook = async (
  ctx: Ctx<Actor>,
  id: string,
  body: Uint8Array,
  wire: Pick<Wire, 'headers' | 'noContent'>,
): Promise<HookAnswer> => {
  const route = routeOf(ctx)
  const incoming: IncomingDelivery = { headers: wire.headers, body, now: ctx.now() }
  for (let read = 0; read < maxReads; read += 1) {
    const fromCache = read === 0 ? getCached(route, id, incoming.now) : undefined
    const trigger = fromCache ?? (await load(ctx, route, id))
    const receive = async () => {
      const verdict = verifyDelivery(trigger, incoming)
      if (trigger === null || verdict.kind !== 'good') return { verdict, isStored: false }
      await requireRowRoom(ctx, trigger.team_id, body.byteLength)
      return { verdict, isStored: await route.intake.add(deliveryOf(trigger, verdict, ctx.origin.traceparent)) }
    }
    const { verdict, isStored } = await (trigger ? ctx.gate.workspaceTurn(trigger.team_id, receive) : receive())
    if (verdict.kind !== 'good') {
      if (fromCache) continue
      if (trigger && verdict.kind === 'refused') await storeRefusal(ctx, route, trigger, verdict)
      return answer(ctx, id, verdict, wire)
    } else if (trigger && isStored) {
      // Other fires are announced after their dispatch.
      if (verdict.status === 'filtered') notifyLists(ctx, trigger)
      return accepted
    }
  }
  throw fail('unavailable', 'The trigger is being changed; send the delivery again')
}

const getCached = ({ triggers }: Route, id: string, now: Date): CachedTrigger | undefined => {
  const cached = triggers.get(id)
  return cached && now.getTime() - cached.loadedMs < cacheMs ? cached : undefined
}

const load = async (ctx: Ctx<Actor>, { triggers }: Route, id: string): Promise<CachedTrigger | null> => {
  triggers.delete(id)
  const row = await findHookTrigger(ctx.db, id)
  if (row?.type !== 'webhook') return null
  const source = verifyingSource(row.source_key, row.config)
  const key = source.strategy === 'none' ? null : secretRef(row.config)
  // Read after the stamp: if the secret changes in between, the stamp no longer matches and the delivery is verified
  // again.
  const secret = key === null ? null : await secretValue(ctx, row.team_id, key)
  const trigger: CachedTrigger = {
    id: row.id,
    team_id: row.team_id,
    enabled: row.enabled,
    source,
    secret,
    ...(secret ? { secretKey: createSecretKey(secret, 'utf8') } : {}),
    filters: row.filters as EventFilter[],
    revision: row.revision,
    secretStamp: row.secret_stamp,
    loadedMs: ctx.now().getTime(),
  }
  triggers.set(id, trigger)
  return trigger
}

const deliveryOf = (
  trigger: CachedTrigger,
  verdict: Extract<DeliveryVerdict, { kind: 'good' }>,
  traceparent: string,
): NewDelivery => ({
  id: newId(),
  trigger,
  status: verdict.status,
  payload: verdict.payload,
  wholePayload: verdict.wholePayload,
  deliveryId: verdict.deliveryId,
  duplicates: 0,
  traceparent,
})

const refusalText = ({ detail, reason }: Refused): string =>
  reason === undefined ? detail : `${detail} (${reason.replaceAll('_', ' ')})`

/** So that the page of the trigger shows it: a refused delivery has no trigger event. */
const storeRefusal = async (
  ctx: Ctx<Actor>,
  { refusals }: Route,
  trigger: CachedTrigger,
  verdict: Refused,
): Promise<void> => {
  const now = ctx.now()
  if (now.getTime() - (refusals.get(trigger.id) ?? 0) < refusalStoredEveryMs) return
  refusals.set(trigger.id, now.getTime())
  await updateRefusal(ctx.db, trigger.id, now, refusalText(verdict))
  notifyLists(ctx, trigger)
}

const answer = (
  ctx: Ctx<Actor>,
  id: string,
  verdict: Exclude<DeliveryVerdict, { kind: 'good' }>,
  wire: Pick<Wire, 'noContent'>,
): HookAnswer => {
  if (verdict.kind === 'challenge') {
    if (verdict.answer.status === 204) wire.noContent()
    return (verdict.answer.body ?? {}) as HookAnswer
  }
  if (verdict.reason !== undefined) ctx.log.info({ trigger: id, reason: verdict.reason }, 'refused a webhook delivery')
  throw fail(verdict.code, verdict.detail)
}
