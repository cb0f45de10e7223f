// Secrets of the workspace. A value comes from stdin or a prompt, so that it stands in no history and no process list.
import { type Cli, type Command, limitOf, type Options, text } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { CliFailure, usage } from '../failures.ts'
import { askSecret } from '../login/ask.ts'
import { readAll } from '../shell.ts'
import { ageOf } from '../times.ts'

const valueFor = async ({ shell }: Cli, key: string): Promise<string> => {
  // The end of the line belongs to `echo`, not to the secret.
  const value = shell.interactive
    ? await askSecret(`Value of ${key}`)
    : (await readAll(shell.stdin)).replace(/\r?\n$/, '')
  if (value === '') throw usage(`No value was given; pipe it to \`millrace secret set ${key}\``)
  return value
}

const bodyOf = (value: string, options: Options) => {
  const description = text(options, 'description')
  return description === undefined ? { value } : { value, description }
}

const set: Command = {
  words: 'secret set <key>',
  summary: 'Store a secret, or give it a new value; the value is read from stdin',
  options: [
    ['--description <text>', 'what it is for'],
    ['--provider <slug>', 'makes a new secret the credential of this provider'],
  ],
  example: 'millrace secret set OPENAI_API_KEY < key.txt',
  run: async (cli, [key = ''], options) => {
    const api = cli.api()
    const body = bodyOf(await valueFor(cli, key), options)
    const secret = await api.call('secrets.update', { path: { key }, body }).catch((error: unknown) => {
      if (!(error instanceof CliFailure) || error.status !== 404) throw error
      return api.call('secrets.create', { body: { key, ...body, provider: text(options, 'provider') } })
    })
    return { text: `${secret.key} ${secret.masked_value} (value ${secret.version})`, json: secret }
  },
}

const list: Command = {
  words: 'secret list',
  summary: 'List secrets, never their values',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace secret list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('secrets.list', { body: { limit: limitOf(options, 50) } })
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

const remove: Command = {
  words: 'secret delete <key>',
  summary: 'Delete a secret',
  options: [yesOption],
  example: 'millrace secret delete OPENAI_API_KEY --yes',
  run: async (cli, [key = ''], options) => {
    const api = cli.api()
    await confirm(cli, options, `Delete the secret ${key}?`)
    await api.call('secrets.delete', { path: { key } })
    return { text: `Deleted ${key}`, json: { key, deleted: true } }
  },
}

export const secretCommands = [set, list, remove]
