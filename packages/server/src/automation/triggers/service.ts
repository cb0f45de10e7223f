// Rules of triggers: permissions, limits and schedules. Independent of HTTP.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { type Grant, narrow, runAs } from '@millrace/contract/scopes'
import type { CreateTrigger, Trigger, UpdateTrigger } from '@millrace/contract/triggers'
import { assertMayApprove } from '#accounts/approvals/service.ts'
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { hasRole, isPlatformAdmin } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, nullable } from '#platform/tenancy/list/spec.ts'
import { assertMayAnswer, assertMayRemove, refuseExpiryName } from './answering.ts'
import { triggerDto } from './dto.ts'
import { isExpiry } from './expiry-name.ts'
import type { TriggerTarget } from './extension-points.ts'
import {
  type NewTrigger,
  readNewTrigger,
  readTriggerChange,
  type TriggerChange,
  targetFields,
  unreadConfig,
} from './rules.ts'
import { nextFire, type Scheduled } from './schedule.ts'
import { secretRef } from './sources.ts'
import * as store from './store.ts'
import { notifyLists, scheduleSubject } from './subjects.ts'
import { actionOf, showsSchemas } from './targets.ts'

export { type Expiry, removeExpiry, scheduleExpiry } from './expiry.ts'
export { isExpiry } from './expiry-name.ts'

const column = columnsOf('triggers')

const listSpec: ListSpec = {
  id: 'triggers.id',
  columns: {
    id: column('id'),
    user_id: column('user_id'),
    name: column('name'),
    type: column('type'),
    action: column('action'),
    enabled: column('enabled', 'boolean'),
    project_id: { ...column('project_id'), ...nullable },
    agent_id: { ...column('agent_id'), ...nullable },
    app_id: { ...column('app_id'), ...nullable },
    flow_id: { ...column('flow_id'), ...nullable },
    interrupt_id: { ...column('interrupt_id'), ...nullable },
    fire_count: column('fire_count', 'number'),
    scheduled_at: { ...column('scheduled_at', 'time'), ...nullable },
    last_fired_at: { ...column('last_fired_at', 'time'), ...nullable },
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: ['name'],
}

/** Every member with the scope sees every trigger of the workspace. */
export const list = (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Trigger>>> =>
  runOwnedList(store.selectTriggers(ctx.db, ctx.actor.teamId), {
    db: ctx.db,
    spec: listSpec,
    request,
    notice: ctx.notice,
    toItem: (row) => triggerDto(row, ctx),
  })

const triggerNotFound = () => fail('not_found', 'Trigger not found')

export const get = async (ctx: Ctx, id: string): Promise<Trigger> => {
  const row = await store.findTrigger(ctx.db, ctx.actor.teamId, id)
  if (!row) throw triggerNotFound()
  return withSchemas(ctx, row)
}

const targetIdOf = (row: store.TriggerRow): string => row[targetFields[row.action]] ?? ''

/** Adds the schemas of the target if it exists and the caller may see them. */
const withSchemas = async (ctx: Ctx, row: store.TriggerRow): Promise<Trigger> =>
  triggerDto(row, ctx, await findTarget(ctx, row.action, targetIdOf(row)))

const findTarget = async (ctx: Ctx, action: Trigger['action'], id: string): Promise<TriggerTarget | undefined> => {
  const target = await actionOf(ctx, action)
    .find(ctx, id)
    .catch((error: unknown) => {
      if (isFailure(error)) return undefined
      throw error
    })
  if (!target || showsSchemas(ctx, action)) return target
  return { id: target.id }
}

export const create = (ctx: Ctx, body: CreateTrigger): Promise<Trigger> =>
  ctx.tx(async (ctx) => {
    const newTrigger = readNewTrigger(body)
    if (newTrigger.type === 'webhook') assertMayUseSecret(ctx, secretRef(newTrigger.config))
    if (newTrigger.action === 'resolve_interrupt') assertMayApprove(ctx)
    const target = await findTarget(ctx, newTrigger.action, newTrigger.targetId)
    const field = targetFields[newTrigger.action]
    if (newTrigger.action === 'resolve_interrupt') refuseExpiryName({ ...newTrigger, interrupt_id: target?.id ?? null })
    if (!target)
      throw fail('validation_error', { detail: `${field} is not a target that you can run`, meta: { field } })
    await requireWithinLimit(ctx, 'triggers')
    const row = await store.insertTrigger(ctx.db, { ...newRow(ctx, newTrigger), [field]: target.id })
    await recordAudit(ctx, 'trigger.created', {
      resourceType: 'trigger',
      resourceId: row.id,
      meta: { name: row.name, type: row.type, action: row.action },
    })
    ctx.emit({ subject: scheduleSubject, data: null })
    notifyLists(ctx, row)
    reportUnreadConfig(ctx, newTrigger.type, newTrigger.config)
    return triggerDto(row, ctx, target)
  })

const reportUnreadConfig = (ctx: Ctx, type: Trigger['type'], config: Readonly<Record<string, unknown>>): void => {
  for (const { field, message } of unreadConfig(type, config))
    ctx.notice({ level: 'warning', code: 'ignored_field', message, meta: { field } })
}

const newRow = (ctx: Ctx, newTrigger: NewTrigger) => {
  const now = ctx.now()
  return {
    id: newId(),
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    name: newTrigger.name,
    type: newTrigger.type,
    action: newTrigger.action,
    enabled: newTrigger.enabled,
    source_key: newTrigger.sourceKey,
    config: JSON.stringify(newTrigger.config),
    input: JSON.stringify(newTrigger.input),
    input_mapping: JSON.stringify(newTrigger.inputMapping),
    filters: JSON.stringify(newTrigger.filters),
    scheduled_at: newTrigger.scheduledAt,
    next_fire_at: nextFire({ ...newTrigger, isDone: false }, now),
    run_as: JSON.stringify(runAs(ctx.actor.grant)),
    created_at: now,
    updated_at: now,
  }
}

/** The secret decides which signatures are valid, so choosing it requires permission to manage secrets. */
const assertMayUseSecret = (ctx: Ctx, name: string | null, before: string | null = null): void => {
  if (name === null || name === before) return
  if (!hasRole(ctx.actor, 'admin') && !isPlatformAdmin(ctx.actor))
    throw fail('team_role_required', 'Setting a secret of a trigger requires the workspace role admin')
}

export const update = (ctx: Ctx, id: string, body: UpdateTrigger): Promise<Trigger> =>
  ctx.tx(async (ctx) => {
    const current = await store.lockTrigger(ctx.db, ctx.actor.teamId, id)
    if (!current) throw triggerNotFound()
    const change = readTriggerChange(current, body)
    if (isExpiry(current) && change.name !== undefined)
      throw fail('validation_error', {
        detail: 'This trigger cannot be renamed',
        meta: { field: 'name' },
      })
    // A caller who changes how or when an interrupt is resolved needs permission to answer it.
    if (current.action === 'resolve_interrupt' && (changesWhatItDoes(change) || change.enabled)) assertMayApprove(ctx)
    if (isExpiry(current) || changesWhatItDoes(change) || change.enabled) await assertMayAnswer(ctx, current)
    if (change.name !== undefined) refuseExpiryName({ ...current, name: change.name })
    if (current.type === 'webhook' && change.config)
      assertMayUseSecret(ctx, secretRef(change.config), secretRef(current.config as Record<string, unknown>))
    const changesOwner = changesWhatItDoes(change) && current.user_id !== ctx.actor.userId
    const row = await store.updateTrigger(ctx.db, current.id, {
      ...changedColumns(change),
      ...changedSchedule(current, change, ctx.now()),
      ...(changesOwner ? { user_id: ctx.actor.userId } : {}),
      run_as: JSON.stringify(changesOwner ? runAs(ctx.actor.grant) : narrowedBy(ctx, current)),
      updated_at: ctx.now(),
    })
    await recordAudit(ctx, 'trigger.updated', {
      resourceType: 'trigger',
      resourceId: row.id,
      meta: {
        name: row.name,
        changed: Object.keys(change),
        ...(changesOwner ? { former_owner_id: current.user_id, owner_id: row.user_id } : {}),
      },
    })
    ctx.emit({ subject: scheduleSubject, data: null })
    notifyLists(ctx, row)
    if (change.config) reportUnreadConfig(ctx, current.type, change.config)
    return withSchemas(ctx, row)
  })

/**
 * A caller who changes what a colleague's trigger does becomes its owner, so that it does not act in the colleague's
 * name.
 */
const changesWhatItDoes = ({ name: _name, enabled: _enabled, filters: _filters, ...rest }: TriggerChange): boolean =>
  Object.keys(rest).length > 0

/** An edit by a narrower key limits the trigger to that key's scopes. */
const narrowedBy = (ctx: Ctx, current: store.TriggerRow): Grant =>
  narrow(current.run_as as Grant, runAs(ctx.actor.grant))

const changedColumns = (change: TriggerChange): store.TriggerUpdate => ({
  ...(change.name !== undefined && { name: change.name }),
  ...(change.enabled !== undefined && { enabled: change.enabled }),
  ...(change.config && { config: JSON.stringify(change.config) }),
  ...(change.input && { input: JSON.stringify(change.input) }),
  ...(change.inputMapping && { input_mapping: JSON.stringify(change.inputMapping) }),
  ...(change.filters && { filters: JSON.stringify(change.filters) }),
  ...(change.scheduledAt && { scheduled_at: change.scheduledAt }),
})

/** Reschedules only for changes of the schedule: renaming a trigger must not skip a due tick. */
const changedSchedule = (current: store.TriggerRow, change: TriggerChange, now: Date): store.TriggerUpdate => {
  const isSwitched = change.enabled !== undefined && change.enabled !== current.enabled
  if (!isSwitched && !change.config && !change.scheduledAt) return {}
  const isDone = current.one_shot_done && !change.scheduledAt
  const after: Scheduled = {
    type: current.type,
    enabled: change.enabled ?? current.enabled,
    config: change.config ?? current.config,
    scheduledAt: change.scheduledAt ?? (current.scheduled_at === null ? null : new Date(current.scheduled_at)),
    isDone,
  }
  return { one_shot_done: isDone, next_fire_at: nextFire(after, now) }
}

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const current = await store.lockTrigger(ctx.db, ctx.actor.teamId, id)
    if (!current) throw triggerNotFound()
    await assertMayRemove(ctx, current)
    await store.deleteTrigger(ctx.db, current.id)
    await recordAudit(ctx, 'trigger.deleted', {
      resourceType: 'trigger',
      resourceId: current.id,
      meta: { name: current.name },
    })
    notifyLists(ctx, current)
    return { success: true }
  })
