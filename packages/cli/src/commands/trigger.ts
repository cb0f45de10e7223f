// Triggers: making one, trying it, looking at what it did.

import type { CreateTrigger } from '@millrace/contract/triggers'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, limitOf, type Options, type Result, text } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { usage } from '../failures.ts'
import { findApp, findFlow, findNamed } from '../find.ts'
import { meant } from '../near.ts'
import { inputSchemaOf, readInput } from '../tasks/input.ts'
import { ageOf } from '../times.ts'

const list: Command = {
  words: 'trigger list',
  summary: 'List triggers of the workspace',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace trigger list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('triggers.list', { body: { limit: limitOf(options, 50) } })
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
    return { text: cli.table(['ID', 'NAME', 'TYPE', 'ACTION', 'STATUS', 'FIRES', 'LAST'], rows), json: page }
  },
}

const timeOf = (at: string, now: Date): string => {
  const time = new Date(at)
  if (Number.isNaN(time.getTime()) || time <= now)
    throw usage(`--at takes a time to come, like ${new Date(now.getTime() + 3_600_000).toISOString()}; not ${at}`)
  return at
}

const sourceOf = async (cli: Cli, source: string): Promise<string> => {
  const sources = await cli.openApi().call('trigger_sources.list')
  if (sources.some(({ id, key }) => id === source || key === source)) return source
  const keys = sources.map(({ key }) => key)
  const hint = meant(source, keys) || ` There are: ${keys.join(', ')}`
  throw usage(`--webhook takes the name of a source, and ${source} is none.${hint}`)
}

/** When it fires, from the one option that says so. */
const momentOf = async (cli: Cli, options: Options): Promise<Partial<CreateTrigger> & Pick<CreateTrigger, 'type'>> => {
  const cron = text(options, 'cron')
  const at = text(options, 'at')
  const source = text(options, 'webhook')
  if ([cron, at, source].filter((given) => given !== undefined).length > 1)
    throw usage('Give one of --cron, --at and --webhook')
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
  if ((app === undefined) === (flow === undefined)) throw usage('Give what it starts: --app or --flow')
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
  summary: 'Make a trigger that starts an app or a flow; without a moment it is fired by hand',
  options: [
    ['--app <app>', 'the app it starts'],
    ['--flow <flow>', 'the flow it starts'],
    ['-i, --input <input>', 'key=value, or a JSON object', 'repeats'],
    ['--cron <expression>', 'when, as cron says it: 0 9 * * 1-5'],
    ['--timezone <zone>', 'of the cron expression (default UTC)'],
    ['--at <time>', 'once, at this ISO time'],
    ['--webhook <source>', 'on each delivery of a source: generic, signed, github, stripe, …'],
    ['--secret <key>', 'name of the secret that signs the deliveries'],
  ],
  example: `millrace trigger create nightly --app acme/report --cron '0 3 * * *' --timezone Europe/Berlin`,
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const moment = await momentOf(cli, options)
    const trigger = await api.call('triggers.create', {
      body: { name, ...moment, ...(await targetOf(cli, api, options)) },
    })
    const address = trigger.webhook_url
    if (address) cli.hint('Deliveries go to:')
    return { text: address ?? trigger.id, json: trigger }
  },
}

const fire: Command = {
  words: 'trigger fire <trigger>',
  summary: 'Fire a trigger now, whatever its filters say, with a payload as a delivery would bring it',
  options: [
    ['-i, --input <input>', 'the payload: key=value, or a JSON object', 'repeats'],
    ['--input-file <path>', 'the payload from a file; - for stdin'],
  ],
  example: `millrace trigger fire 01jqv3w7 -i '{"action": "opened"}'`,
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { id } = await findNamed(api, 'trigger', given)
    const fired = await api.call('triggers.fire', { path: { id }, body: await readInput(cli.shell, options) })
    const started = fired.task_id ?? fired.flow_run_id ?? fired.chat_id
    return { text: started ?? 'Nothing was started', json: fired }
  },
}

const fires: Command = {
  words: 'trigger fires [trigger]',
  summary: 'List what triggers did, newest first',
  options: [['--limit <count>', 'how many (default 20)']],
  example: 'millrace trigger fires 01jqv3w7',
  run: async (cli, [given], options) => {
    const api = cli.api()
    const id = given === undefined ? undefined : (await findNamed(api, 'trigger', given)).id
    const filters = id === undefined ? [] : [{ field: 'trigger_id', operator: 'eq', value: id }]
    const page = await api.call('trigger_fires.list', { body: { limit: limitOf(options, 20), filters } })
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
  summary: verb === 'enable' ? 'Let a trigger fire again' : 'Keep a trigger from firing',
  example: `millrace trigger ${verb} 01jqv3w7`,
  run: async (cli, [given = '']): Promise<Result> => {
    const api = cli.api()
    const { id } = await findNamed(api, 'trigger', given)
    const trigger = await api.call('triggers.update', { path: { id }, body: { enabled: verb === 'enable' } })
    return { text: `${trigger.name} ${trigger.enabled ? 'enabled' : 'disabled'}`, json: trigger }
  },
})

const remove: Command = {
  words: 'trigger delete <trigger>',
  summary: 'Delete a trigger',
  options: [yesOption],
  example: 'millrace trigger delete 01jqv3w7 --yes',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { id, name } = await findNamed(api, 'trigger', given)
    await confirm(cli, options, `Delete the trigger ${name}?`)
    await api.call('triggers.delete', { path: { id } })
    return { text: `Deleted ${name}`, json: { id, deleted: true } }
  },
}

export const triggerCommands = [list, create, fire, fires, enable('enable'), enable('disable'), remove]
