// Triggers and their events.
import type { CreateTrigger } from '@millrace/contract/triggers'
import type { Api } from '../api/client.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  limitOption,
  type Options,
  pageOf,
  type Result,
  text,
  texts,
} from '../command.ts'
import { usage } from '../failures.ts'
import { findNamed } from '../find.ts'
import { findApp, findFlow } from '../find-refs.ts'
import { deleteCommand, requireChange, showCommand } from '../resource.ts'
import { suggest } from '../suggest.ts'
import { inputSchemaOf, readInput } from '../tasks/input.ts'
import { ageOf } from '../times.ts'

const list: Command = {
  words: 'trigger list',
  summary: 'List triggers of the workspace',
  options: [limitOption(50), cursorOption],
  example: 'millrace trigger list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('triggers.list', { body: pageOf(options, 50) })
    const now = cli.shell.now()
    const rows = page.items.map((trigger) => [
      trigger.short_id,
      trigger.name,
      trigger.type,
      trigger.action,
      trigger.enabled ? 'enabled' : 'disabled',
      `${trigger.fire_count ?? 0}`,
      trigger.last_fired_at ? ageOf(trigger.last_fired_at, now) : 'never',
    ])
    return { text: cli.table(['ID', 'NAME', 'TYPE', 'ACTION', 'STATUS', 'EVENTS', 'LAST EVENT'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'trigger',
  example: 'nightly',
  find: async (api, given) => {
    const { id } = await findNamed(api, 'trigger', given)
    return api.call('triggers.get', { path: { id } })
  },
  rows: (trigger) => [
    ['trigger', trigger.name],
    ['id', trigger.id],
    ['type', trigger.type],
    ['config', JSON.stringify(trigger.config)],
    ['action', trigger.action],
    ['target', trigger.app_id ?? trigger.flow_id],
    ['status', trigger.enabled ? 'enabled' : 'disabled'],
    ['address', trigger.webhook_url],
    ['events', `${trigger.fire_count ?? 0}`],
  ],
})

const timeOf = (at: string, now: Date): string => {
  const time = new Date(at)
  if (Number.isNaN(time.getTime()) || time <= now)
    throw usage(`--at must be a time in the future, such as ${new Date(now.getTime() + 3_600_000).toISOString()}`)
  return at
}

const sourceOf = async (cli: Cli, source: string): Promise<string> => {
  const sources = await cli.openApi().call('trigger_sources.list')
  if (sources.some(({ id, key }) => id === source || key === source)) return source
  const keys = sources.map(({ key }) => key)
  throw usage(`Webhook source ${source} not found`, suggest(source, keys) || `The sources are ${keys.join(', ')}`)
}

/** The type and schedule of a trigger, from at most one of three options. */
const scheduleOf = async (
  cli: Cli,
  options: Options,
): Promise<Partial<CreateTrigger> & Pick<CreateTrigger, 'type'>> => {
  const cron = text(options, 'cron')
  const at = text(options, 'at')
  const source = text(options, 'webhook')
  if ([cron, at, source].filter((given) => given !== undefined).length > 1)
    throw usage('Pass only one of --cron, --at and --webhook')
  if (cron !== undefined) return { type: 'cron', config: { expression: cron, timezone: text(options, 'timezone') } }
  if (at !== undefined) return { type: 'scheduled', scheduled_at: timeOf(at, cli.shell.now()) }
  const secret = text(options, 'secret')
  if (source !== undefined)
    return {
      type: 'webhook',
      source_id: await sourceOf(cli, source),
      config: secret === undefined ? {} : { secret_ref: secret },
    }
  return { type: 'manual' }
}

const targetOf = async (cli: Cli, api: Api, options: Options): Promise<Partial<CreateTrigger> & { action: string }> => {
  const app = text(options, 'app')
  const flow = text(options, 'flow')
  if ((app === undefined) === (flow === undefined)) throw usage('Pass either --app or --flow')
  if (app !== undefined) {
    const input = await readInput(cli.shell, options, () => inputSchemaOf(api, app))
    return { action: 'run_app', app_id: (await findApp(api, app)).id, input }
  }
  const found = await findFlow(api, flow ?? '')
  const input = await readInput(cli.shell, options, async () => found.input_schema)
  return { action: 'run_flow', flow_id: found.id, input }
}

const create: Command = {
  words: 'trigger create <name>',
  summary: 'Create a trigger that starts an app or a flow; manual unless --cron, --at or --webhook is given',
  options: [
    ['--app <app>', 'app to start'],
    ['--flow <flow>', 'flow to start'],
    ['-i, --input <input>', 'key=value, or a JSON object', 'repeats'],
    ['--cron <expression>', 'fire on a cron schedule, such as 0 9 * * 1-5'],
    ['--timezone <zone>', 'time zone of the cron schedule (default UTC)'],
    ['--at <time>', 'fire once, at this ISO time'],
    ['--webhook <source>', 'fire on deliveries of a source: generic, signed, github, stripe, …'],
    ['--secret <key>', 'secret with which the source signs its deliveries'],
  ],
  example: `millrace trigger create nightly --app acme/report --cron '0 3 * * *' --timezone Europe/Berlin`,
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const schedule = await scheduleOf(cli, options)
    const trigger = await api.call('triggers.create', {
      body: { name, ...schedule, ...(await targetOf(cli, api, options)) },
    })
    const address = trigger.webhook_url
    if (address) cli.hint('Send deliveries to this address:')
    return { text: address ?? trigger.id, json: trigger }
  },
}

const fire: Command = {
  words: 'trigger fire <trigger>',
  summary: 'Fire a trigger now with a payload; its filters are ignored',
  options: [
    ['-i, --input <input>', 'payload: key=value, or a JSON object', 'repeats'],
    ['--input-file <path>', 'read the payload from a file; - for stdin'],
  ],
  example: `millrace trigger fire new-issue -i '{"action": "opened"}'`,
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { id } = await findNamed(api, 'trigger', given)
    const fired = await api.call('triggers.fire', { path: { id }, body: await readInput(cli.shell, options) })
    const started = fired.task_id ?? fired.flow_run_id ?? fired.chat_id
    return { text: started ?? 'Nothing was started', json: fired }
  },
}

const events: Command = {
  words: 'trigger events [trigger]',
  summary: 'List trigger events, newest first',
  options: [limitOption(20), cursorOption],
  example: 'millrace trigger events\nmillrace trigger events nightly',
  run: async (cli, [given], options) => {
    const api = cli.api()
    const id = given === undefined ? undefined : (await findNamed(api, 'trigger', given)).id
    const filters = id === undefined ? [] : [{ field: 'trigger_id', operator: 'eq', value: id } as const]
    const page = await api.call('trigger_fires.list', { body: { ...pageOf(options, 20), filters } })
    const now = cli.shell.now()
    const rows = page.items.map((one) => [
      one.short_id,
      one.status,
      ageOf(one.created_at, now),
      one.task_id ?? one.flow_run_id ?? one.chat_id,
      one.error,
    ])
    return { text: cli.table(['ID', 'STATUS', 'AGE', 'STARTED', 'ERROR'], rows), json: page }
  },
}

const enable = (verb: 'enable' | 'disable'): Command => ({
  words: `trigger ${verb} <trigger>`,
  summary: verb === 'enable' ? 'Enable a trigger' : 'Disable a trigger, so that it does not fire',
  example: `millrace trigger ${verb} nightly`,
  run: async (cli, [given = '']): Promise<Result> => {
    const api = cli.api()
    const { id } = await findNamed(api, 'trigger', given)
    const trigger = await api.call('triggers.update', { path: { id }, body: { enabled: verb === 'enable' } })
    return { text: `${trigger.name} ${trigger.enabled ? 'enabled' : 'disabled'}`, json: trigger }
  },
})

const remove = deleteCommand({
  noun: 'trigger',
  example: 'nightly',
  find: (api, given) => findNamed(api, 'trigger', given),
  remove: (api, { id }) => api.call('triggers.delete', { path: { id } }),
})

const updateOptions: readonly CommandOption[] = [
  ['--name <name>', 'new name'],
  ['-i, --input <input>', 'new input of the run: key=value, or a JSON object', 'repeats'],
  ['--cron <expression>', 'new cron schedule'],
  ['--timezone <zone>', 'new time zone of the cron schedule'],
  ['--at <time>', 'new time, in ISO form'],
]

const update: Command = {
  words: 'trigger update <trigger>',
  summary: 'Change the name, the schedule or the input of a trigger',
  options: updateOptions,
  example: `millrace trigger update nightly --cron '0 4 * * *'`,
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const { id } = await findNamed(api, 'trigger', given)
    const { config, type } = await api.call('triggers.get', { path: { id } })
    const [name, expression, timezone, at] = ['name', 'cron', 'timezone', 'at'].map((option) => text(options, option))
    if ((expression ?? timezone) !== undefined && type !== 'cron') throw usage(`Trigger ${given} has no cron schedule`)
    if (at !== undefined && type !== 'scheduled') throw usage(`Trigger ${given} does not fire at a set time`)
    const cron = { ...(expression && { expression }), ...(timezone && { timezone }) }
    const trigger = await api.call('triggers.update', {
      path: { id },
      body: {
        ...(name !== undefined && { name }),
        ...(at !== undefined && { scheduled_at: timeOf(at, cli.shell.now()) }),
        ...(Object.keys(cron).length > 0 && { config: { ...(config as object), ...cron } }),
        ...(texts(options, 'input').length > 0 && { input: await readInput(cli.shell, options) }),
      },
    })
    return { text: `Updated ${trigger.name}`, json: trigger }
  },
}

export const triggerCommands = [list, show, create, update, remove, fire, events, enable('enable'), enable('disable')]
