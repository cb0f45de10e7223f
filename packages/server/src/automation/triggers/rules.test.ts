// Guarantees: only triggers that can fire are stored, and every refusal names its code and field.
import { describe, expect, it } from 'vitest'
import { isFailure } from '#platform/core/errors.ts'
import { readNewTrigger, readTriggerChange } from './rules.ts'

const refusal = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (isFailure(error)) return { code: error.code, field: error.options.meta?.field, detail: error.message }
    throw error
  }
  return null
}

const app = { name: 'Nightly', type: 'manual', action: 'run_app', app_id: 'app-1' }
const cron = { ...app, type: 'cron', config: { expression: '0 9 * * *' } }
const scheduled = { ...app, type: 'scheduled', scheduled_at: '2030-01-01T00:00:00Z' }
const webhook = { ...app, type: 'webhook' }

const stored = {
  name: 'Nightly',
  type: 'manual',
  action: 'run_app',
  targetId: 'app-1',
  config: {},
  scheduledAt: null,
  sourceKey: null,
  enabled: true,
  input: {},
  inputMapping: {},
  filters: [],
}

describe('readNewTrigger', () => {
  it.each([
    ['the least', app, {}],
    ['a name with surrounding spaces', { ...app, name: ' Nightly ' }, {}],
    ['nulls as absent', { ...app, config: null, input: null, input_mapping: null, filters: null, enabled: null }, {}],
    ['a flow', { ...app, action: 'run_flow', flow_id: 'flow-1' }, { action: 'run_flow', targetId: 'flow-1' }],
    ['ids for other actions are dropped', { ...app, flow_id: 'flow-1', agent_id: 'a' }, {}],
    ['disabled', { ...app, enabled: false }, { enabled: false }],
    ['cron', cron, { type: 'cron', config: { expression: '0 9 * * *' } }],
    [
      'cron in a zone',
      { ...cron, config: { expression: '@daily', timezone: 'Asia/Tokyo' } },
      { type: 'cron', config: { expression: '@daily', timezone: 'Asia/Tokyo' } },
    ],
    [
      'cron with a null zone',
      { ...cron, config: { expression: '@daily', timezone: null } },
      { type: 'cron', config: { expression: '@daily', timezone: null } },
    ],
    ['scheduled', scheduled, { type: 'scheduled', scheduledAt: new Date('2030-01-01T00:00:00Z') }],
    [
      'scheduled with an offset and microseconds',
      { ...scheduled, scheduled_at: '2030-01-01T02:00:00.000000+02:00' },
      { type: 'scheduled', scheduledAt: new Date('2030-01-01T00:00:00Z') },
    ],
    [
      'scheduled in the past',
      { ...scheduled, scheduled_at: '2001-01-01t00:00:00z' },
      { type: 'scheduled', scheduledAt: new Date('2001-01-01T00:00:00Z') },
    ],
    ['scheduled_at of another type is dropped', { ...app, scheduled_at: 'soon' }, {}],
    ['webhook', webhook, { type: 'webhook' }],
    ['webhook of a source', { ...webhook, source_id: 'github' }, { type: 'webhook', sourceKey: 'github' }],
    ['an empty source counts as none', { ...webhook, source_id: '' }, { type: 'webhook' }],
    ['a source of another type is dropped', { ...app, source_id: 'github' }, {}],
    [
      'webhook with a secret',
      { ...webhook, config: { secret_ref: 'HOOK' } },
      { type: 'webhook', config: { secret_ref: 'HOOK' } },
    ],
    [
      'input and mapping',
      { ...app, input: { a: 1 }, input_mapping: { input: { b: '{{c}}' } } },
      { input: { a: 1 }, inputMapping: { input: { b: '{{c}}' } } },
    ],
    [
      'filters',
      { ...webhook, filters: [{ field: 'a', operator: 'exists' }] },
      { type: 'webhook', filters: [{ field: 'a', operator: 'exists' }] },
    ],
  ])('accepts %s', (_, body, difference) => {
    expect(readNewTrigger(body)).toEqual({ ...stored, ...difference })
  })

  it.each([
    ['no name', { ...app, name: undefined }, 'name'],
    ['a blank name', { ...app, name: '  ' }, 'name'],
    ['a long name', { ...app, name: 'x'.repeat(256) }, 'name'],
    ['a name that is not text', { ...app, name: 5 }, 'name'],
    ['a name reserved for the platform', { ...app, name: ' expire-interrupt:1' }, 'name'],
    ['no type', { ...app, type: undefined }, 'type'],
    ['an unknown type', { ...app, type: 'email' }, 'type'],
    ['no action', { ...app, action: undefined }, 'action'],
    ['an unknown action', { ...app, action: 'run' }, 'action'],
    ['an agent without its id', { ...app, action: 'run_agent' }, 'agent_id'],
    ['an interrupt without its id', { ...app, action: 'resolve_interrupt' }, 'interrupt_id'],
    ['an app without its id', { ...app, app_id: undefined }, 'app_id'],
    ['an app with a null id', { ...app, app_id: null }, 'app_id'],
    ['an app with a blank id', { ...app, app_id: ' ' }, 'app_id'],
    ['a flow with the id of an app', { ...app, action: 'run_flow' }, 'flow_id'],
    ['cron without config', { ...cron, config: undefined }, 'config.expression'],
    ['cron without expression', { ...cron, config: { timezone: 'UTC' } }, 'config.expression'],
    ['cron with seconds', { ...cron, config: { expression: '0 0 9 * * *' } }, 'config.expression'],
    ['cron with a bad field', { ...cron, config: { expression: '61 * * * *' } }, 'config.expression'],
    ['cron in an unknown zone', { ...cron, config: { expression: '0 9 * * *', timezone: 'Mars' } }, 'config.timezone'],
    ['a config that is not an object', { ...app, config: 'x' }, 'config'],
    ['a secret_ref that is not text', { ...webhook, config: { secret_ref: 5 } }, 'config.secret_ref'],
    ['an unknown source', { ...webhook, source_id: 'gitlab' }, 'source_id'],
    ['scheduled without a time', { ...scheduled, scheduled_at: undefined }, 'scheduled_at'],
    ['scheduled at an invalid time', { ...scheduled, scheduled_at: 'tomorrow' }, 'scheduled_at'],
    ['scheduled without a zone', { ...scheduled, scheduled_at: '2030-01-01T00:00:00' }, 'scheduled_at'],
    ['scheduled at a date without time', { ...scheduled, scheduled_at: '2030-01-01' }, 'scheduled_at'],
    ['scheduled on 30 February', { ...scheduled, scheduled_at: '2030-02-30T00:00:00Z' }, 'scheduled_at'],
    ['scheduled in the year 0', { ...scheduled, scheduled_at: '0000-06-01T00:00:00Z' }, 'scheduled_at'],
    ['scheduled before the year 1', { ...scheduled, scheduled_at: '0001-01-01T00:00:00+01:00' }, 'scheduled_at'],
    ['scheduled after the year 9999', { ...scheduled, scheduled_at: '9999-12-31T23:59:59-01:00' }, 'scheduled_at'],
    ['scheduled at 25 o’clock', { ...scheduled, scheduled_at: '2030-02-01T25:00:00Z' }, 'scheduled_at'],
    ['scheduled at a number', { ...scheduled, scheduled_at: 1893456000 }, 'scheduled_at'],
    ['enabled as text', { ...app, enabled: 'yes' }, 'enabled'],
    ['an input that is a list', { ...app, input: [] }, 'input'],
    [
      'an input nested too deeply',
      { ...app, input: { a: JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`) } },
      'input',
    ],
    ['a mapping that is a list', { ...app, input_mapping: [] }, 'input_mapping'],
    [
      'a mapping nested too deeply',
      { ...app, input_mapping: { input: { a: JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`) } } },
      'input_mapping',
    ],
    ['a mapping for an agent', { ...app, input_mapping: { context: {} } }, 'input_mapping.context'],
    [
      'a filter with an unknown operator',
      { ...webhook, filters: [{ field: 'a', operator: 'gt', value: '1' }] },
      'filters[0].operator',
    ],
  ])('refuses %s', (_, body, field) => {
    expect(refusal(() => readNewTrigger(body))).toMatchObject({
      code: 'validation_error',
      field,
      detail: expect.stringContaining(field),
    })
  })
})

const kind = { type: 'cron', action: 'run_app' } as const

describe('readTriggerChange', () => {
  it.each([
    ['name', { name: 'New' }, { name: 'New' }],
    ['enabled alone', { enabled: false }, { enabled: false }],
    ['config', { config: { expression: '@hourly' } }, { config: { expression: '@hourly' } }],
    ['input', { input: {} }, { input: {} }],
    ['input_mapping', { input_mapping: { input: { a: 1 } } }, { inputMapping: { input: { a: 1 } } }],
    ['filters', { filters: [] }, { filters: [] }],
    [
      'several fields, the others unchanged',
      { name: 'New', type: 'manual', app_id: 'x', input: null, enabled: true },
      { name: 'New', enabled: true },
    ],
  ])('changes %s', (_, body, change) => {
    expect(readTriggerChange(kind, body)).toStrictEqual(change)
  })

  it('reschedules a scheduled trigger', () => {
    const change = readTriggerChange({ type: 'scheduled', action: 'run_app' }, { scheduled_at: '2030-01-01T00:00:00Z' })
    expect(change).toStrictEqual({ scheduledAt: new Date('2030-01-01T00:00:00Z') })
  })

  it.each([
    ['nothing', {}],
    ['only nulls', { name: null, enabled: null }],
    [
      'only immutable fields',
      { type: 'manual', action: 'run_flow', flow_id: 'f', app_id: 'a', source_id: 'github', id: 'x', fire_count: 0 },
    ],
    ['only unknown fields', { colour: 'red' }],
  ])('refuses a body with %s', (_, body) => {
    expect(refusal(() => readTriggerChange(kind, body))).toMatchObject({ code: 'invalid_request' })
  })

  it.each([
    ['a blank name', { name: '' }, 'name'],
    ['enabled as a number', { enabled: 1 }, 'enabled'],
    ['a config without its expression', { config: {} }, 'config.expression'],
    ['an unknown zone', { config: { expression: '@daily', timezone: 'Mars' } }, 'config.timezone'],
    ['an input that is text', { input: 'x' }, 'input'],
    ['a mapping for flow nodes of an app trigger', { input_mapping: { node: {} } }, 'input_mapping.node'],
    ['an unknown operator', { filters: [{ field: 'a', operator: 'like', value: 'x' }] }, 'filters[0].operator'],
    ['a time for a cron trigger', { scheduled_at: '2030-01-01T00:00:00Z' }, 'scheduled_at'],
    ['one invalid field among valid ones', { name: 'New', enabled: 'yes' }, 'enabled'],
  ])('refuses %s', (_, body, field) => {
    expect(refusal(() => readTriggerChange(kind, body))).toMatchObject({ code: 'validation_error', field })
  })
})
