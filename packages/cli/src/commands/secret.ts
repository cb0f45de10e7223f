// Secrets of the workspace. A value comes from stdin or a prompt, so that no shell history and no process list shows it.
import { type Cli, type Command, type CommandOption, cursorOption, limitOption, pageOf, text } from '../command.ts'
import { usage } from '../failures.ts'
import { askSecret } from '../login/ask.ts'
import { changesOf, deleteCommand, showCommand } from '../resource.ts'
import { readAll } from '../shell.ts'
import { ageOf } from '../times.ts'

const readValue = async ({ shell }: Cli, key: string): Promise<string> => {
  // The final line end comes from commands such as `echo` and is not part of the secret.
  const value = shell.interactive
    ? await askSecret(`Value of ${key}`)
    : (await readAll(shell.stdin)).replace(/\r?\n$/, '')
  if (value === '') throw usage('A secret needs a value', 'Pipe it to the command')
  return value
}

const descriptionOption: CommandOption = ['--description <text>', 'what the secret is for']

const list: Command = {
  words: 'secret list',
  summary: 'List secrets without their values',
  options: [limitOption(50), cursorOption],
  example: 'millrace secret list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('secrets.list', { body: pageOf(options, 50) })
    const now = cli.shell.now()
    const rows = page.items.map((secret) => [
      secret.key,
      secret.masked_value,
      ageOf(secret.updated_at, now),
      secret.description,
    ])
    return { text: cli.table(['KEY', 'VALUE', 'CHANGED', 'DESCRIPTION'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'secret',
  argument: 'key',
  summary: 'Show a secret without its value',
  example: 'OPENAI_API_KEY',
  find: (api, key) => api.call('secrets.get', { path: { key } }),
  rows: ({ key, masked_value, version, description, updated_at }) => [
    ['key', key],
    ['value', masked_value],
    ['version', `${version}`],
    ['changed', updated_at],
    ['description', description],
  ],
})

const create: Command = {
  words: 'secret create <key>',
  summary: 'Create a secret; the value is read from stdin',
  options: [descriptionOption, ['--provider <slug>', 'use the secret for the connection to this provider']],
  example: 'millrace secret create OPENAI_API_KEY < key.txt',
  run: async (cli, [key = ''], options) => {
    const api = cli.api()
    const texts = changesOf(options, { description: 'description' })
    const body = { key, ...texts, value: await readValue(cli, key), provider: text(options, 'provider') }
    const secret = await api.call('secrets.create', { body })
    return { text: `${secret.key} ${secret.masked_value} (version ${secret.version})`, json: secret }
  },
}

const update: Command = {
  words: 'secret update <key>',
  summary: 'Give a secret a new value; the value is read from stdin',
  options: [descriptionOption],
  example: 'millrace secret update OPENAI_API_KEY < key.txt',
  run: async (cli, [key = ''], options) => {
    const api = cli.api()
    const body = { ...changesOf(options, { description: 'description' }), value: await readValue(cli, key) }
    const secret = await api.call('secrets.update', { path: { key }, body })
    return { text: `${secret.key} ${secret.masked_value} (version ${secret.version})`, json: secret }
  },
}

const remove = deleteCommand({
  noun: 'secret',
  argument: 'key',
  example: 'OPENAI_API_KEY',
  find: async (api, key) => ({ id: (await api.call('secrets.get', { path: { key } })).id, name: key }),
  remove: (api, { name }) => api.call('secrets.delete', { path: { key: name } }),
})

export const secretCommands = [list, show, create, update, remove]
