// Rows of triggers and fires as wire objects.
import { shortId } from '@millrace/contract/ids'
import type { EventFilter, InputMapping, Trigger, TriggerFire } from '@millrace/contract/triggers'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { TriggerTarget } from './extension-points.ts'
import type { FireRow } from './fires-store.ts'
import { nextFires, scheduleText } from './schedule.ts'
import { findSource } from './sources.ts'
import type { TriggerRow } from './store.ts'

const given = <K extends string, V>(name: K, value: V | null | undefined): { [P in K]?: V } =>
  (value === null || value === undefined ? {} : { [name]: value }) as { [P in K]?: V }

const cronFields = ({ type, enabled, config }: TriggerRow, now: Date) =>
  type === 'cron'
    ? { next_fires: nextFires({ enabled, config }, now).map(wireTime), schedule_text: scheduleText(config) }
    : {}

export const triggerDto = (
  row: TriggerRow,
  { settings, now }: Pick<Ctx, 'settings' | 'now'>,
  target?: Omit<TriggerTarget, 'id'>,
): Trigger => {
  const source = row.source_key === null ? undefined : findSource(row.source_key)
  return {
    ...resourceFields(row),
    visibility: row.visibility as Trigger['visibility'],
    project_id: row.project_id,
    name: row.name,
    type: row.type,
    action: row.action,
    enabled: row.enabled,
    ...given('agent_id', row.agent_id),
    ...given('app_id', row.app_id),
    ...given('flow_id', row.flow_id),
    ...given('interrupt_id', row.interrupt_id),
    config: row.config as Trigger['config'],
    input: row.input as Trigger['input'],
    input_mapping: row.input_mapping as InputMapping,
    filters: row.filters as EventFilter[],
    ...given('source_id', source?.id),
    source: source ?? null,
    ...given('scheduled_at', row.scheduled_at),
    ...cronFields(row, now()),
    ...given('last_fired_at', row.last_fired_at),
    fire_count: row.fire_count,
    ...given('last_refused_at', row.last_refused_at),
    ...given('last_refusal', row.last_refusal),
    ...(row.type === 'webhook' ? { webhook_url: `${settings.BASE_URL}/triggers/${row.id}/hook` } : {}),
    ...given('input_schema', target?.input_schema),
    ...given('output_schema', target?.output_schema),
  }
}

export const fireDto = (row: FireRow, trigger: Trigger | null): TriggerFire => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  trigger_id: row.trigger_id,
  trigger,
  status: row.status as TriggerFire['status'],
  ...given('payload', row.payload),
  ...(row.status === 'error' ? { error: row.error } : {}),
  duration_ms: row.duration_ms,
  ...given('chat_id', row.chat_id),
  ...given('task_id', row.task_id),
  ...given('flow_run_id', row.flow_run_id),
  duplicates: row.duplicates,
})
