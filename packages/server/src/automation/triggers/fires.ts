// The log of fires, firing by hand, and replaying a stored payload.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { FiltersTried, TriggerFire, TriggerFired } from '@millrace/contract/triggers'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { columnsOf, type ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertMayFire } from './answering.ts'
import { type FireToStart, settlement, startFires } from './dispatch.ts'
import { fireDto, triggerDto } from './dto.ts'
import { tryFilters } from './filters.ts'
import * as fires from './fires-store.ts'
import { capturedMaxBytes, capturedText } from './payload.ts'
import { isJsonObject } from './payload-path.ts'
import { readFilterRules } from './rules.ts'
import * as store from './store.ts'
import { notifyLists } from './subjects.ts'

const column = columnsOf('trigger_fires')

const listSpec: ListSpec = {
  id: 'trigger_fires.id',
  columns: {
    id: column('id'),
    trigger_id: column('trigger_id'),
    status: column('status'),
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: [],
}

export const list = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<TriggerFire>>> => {
  const rows: fires.FireRow[] = []
  const page = await runList(fires.selectFires(ctx.db, ctx.actor.teamId), {
    db: ctx.db,
    spec: listSpec,
    request,
    notice: ctx.notice,
    toItem: (row) => {
      rows.push(row)
      return fireDto(row, null)
    },
  })
  if (request.preloads?.includes('trigger')) await embedTriggers(ctx, rows, page.items)
  return page
}

/** By row, because a request may select the trigger without its id. */
const embedTriggers = async (
  ctx: Ctx,
  fired: readonly fires.FireRow[],
  items: readonly Partial<TriggerFire>[],
): Promise<void> => {
  const ids = [...new Set(fired.map((row) => row.trigger_id))]
  if (ids.length === 0) return
  const rows = await store.findTriggersByIds(ctx.db, ctx.actor.teamId, ids)
  const triggers = new Map(rows.map((row) => [row.id, triggerDto(row, ctx)]))
  for (const [index, item] of items.entries())
    if ('trigger' in item) item.trigger = triggers.get(fired[index]?.trigger_id ?? '') ?? null
}

const findFire = async (ctx: Ctx, id: string): Promise<fires.FireRow> => {
  const row = await fires.findFire(ctx.db, ctx.actor.teamId, id)
  if (!row) throw fail('not_found', 'Trigger fire not found')
  return row
}

export const get = async (ctx: Ctx, id: string): Promise<TriggerFire> => {
  const row = await findFire(ctx, id)
  const [trigger] = await store.findTriggersByIds(ctx.db, ctx.actor.teamId, [row.trigger_id])
  return fireDto(row, trigger ? triggerDto(trigger, ctx) : null)
}

/** The result of a manual fire. A failure is part of the log, so it is thrown only after the row is committed. */
export type FireAttempt = TriggerFired & {
  failure?: { code: string; message: string; headers?: Readonly<Record<string, string>> }
}

/** Works for every type and for disabled triggers. Filters are not applied. */
export const fire = async (ctx: Ctx, id: string, payload: Record<string, unknown>): Promise<FireAttempt> => {
  const trigger = await store.findTrigger(ctx.db, ctx.actor.teamId, id)
  // A full id cannot be guessed; a foreign short id answers as a missing one.
  if (!trigger && (await store.triggerExists(ctx.db, id)))
    throw fail('forbidden', 'The trigger belongs to another workspace')
  if (!trigger) throw fireError('not_found', 'Trigger not found')
  return fireNow(ctx, trigger.id, { payload, isTick: false })
}

export const replay = async (ctx: Ctx, id: string): Promise<FireAttempt> => {
  const first = await findFire(ctx, id)
  if (isTruncated(first.payload))
    throw fail('invalid_state', 'The payload was too large to be stored, so the fire cannot be replayed')
  return fireNow(ctx, first.trigger_id, { payload: first.payload, isTick: first.kind === 'tick' })
}

/** Evaluates filters for the payload of an earlier delivery. */
export const tryFiltersOn = async (ctx: Ctx, id: string, filters: readonly unknown[]): Promise<FiltersTried> => {
  const { payload } = await findFire(ctx, id)
  if (isTruncated(payload))
    throw fail('invalid_state', 'The payload was too large to be stored, so filters cannot be tried on it')
  return tryFilters(readFilterRules(filters), payload)
}

const isTruncated = (payload: unknown): boolean =>
  isJsonObject(payload) && payload.truncated === true && Number(payload.size) > capturedMaxBytes

const fireNow = (
  ctx: Ctx,
  triggerId: string,
  { payload, isTick }: Pick<FireToStart, 'payload' | 'isTick'>,
): Promise<FireAttempt> =>
  ctx.tx(async (ctx) => {
    const begun = ctx.now()
    const [trigger] = await store.findOwnedTriggers(ctx.db, [triggerId])
    if (trigger?.team_id !== ctx.actor.teamId) throw fireError('not_found', 'The trigger has been deleted')
    await assertMayFire(ctx, trigger)
    const row = { id: newId(), created_at: begun.toISOString() }
    const [outcome = fail('internal_error')] = await startFires(ctx, trigger, [
      { id: row.id, payload, isTick, traceparent: ctx.origin.traceparent },
    ])
    const now = ctx.now()
    await fires.insertFires(ctx.db, [
      {
        ...settlement(row, outcome, now),
        trigger_id: trigger.id,
        team_id: trigger.team_id,
        kind: isTick ? 'tick' : 'manual',
        payload: capturedText(JSON.stringify(payload)),
        created_at: row.created_at,
      },
    ])
    notifyLists(ctx, trigger)
    if (isFailure(outcome)) {
      const { code, message, options } = outcome
      return { fired: false, failure: { code, message, ...(options.headers ? { headers: options.headers } : {}) } }
    }
    await store.countFires(ctx.db, new Map([[trigger.id, 1]]), now.toISOString())
    return {
      fired: true,
      ...(outcome.taskId === undefined ? {} : { task_id: outcome.taskId }),
      ...(outcome.flowRunId === undefined ? {} : { flow_run_id: outcome.flowRunId }),
      ...(outcome.chatId === undefined ? {} : { chat_id: outcome.chatId }),
    }
  })

/** Returns the result of the attempt, or throws its failure. */
export const firedReply = ({ failure, ...fired }: FireAttempt): TriggerFired => {
  if (failure?.code === 'rate_limited')
    throw fail('rate_limited', { detail: failure.message, headers: { ...failure.headers } })
  if (failure) throw fireError(failure.code, failure.message)
  return fired
}

const fireError = (reason: string, message: string): Failure =>
  fail('fire_error', {
    detail: message,
    meta: { reason },
    extra: { success: false, status: 500, error: { code: 'fire_error', message } },
  })
