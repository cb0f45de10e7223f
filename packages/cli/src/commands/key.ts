// API keys of the workspace, for programs that stay.
import { type Command, flag, limitOf, type Options, text, wholeNumber } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { findNamed } from '../find.ts'
import { ageOf } from '../times.ts'

const dayMs = 86_400_000

const expiryOf = (options: Options, now: Date): string | undefined => {
  const days = wholeNumber(options, 'days', { least: 1, most: 36_500 })
  return days === undefined ? undefined : new Date(now.getTime() + days * dayMs).toISOString()
}

const create: Command = {
  words: 'key create <name>',
  summary: 'Make an API key; it is shown once, on stdout',
  options: [
    ['--scopes <list>', 'only these scopes, separated by commas (default: every scope a key can hold)'],
    ['--days <count>', 'ends after so many days (default: never)'],
    ['--workspace', 'belongs to the workspace, not to you: it stays when you leave'],
  ],
  example: 'millrace key create deploy-bot --scopes apps:read,apps:write --days 90',
  run: async (cli, [name = ''], options) => {
    const key = await cli.api().call('apikeys.create', {
      body: {
        name,
        scope: flag(options, 'workspace') ? 'workspace' : undefined,
        scopes: text(options, 'scopes')?.split(','),
        expires_at: expiryOf(options, cli.shell.now()),
      },
    })
    cli.hint(`Key ${key.name} (${key.short_id}); it is not shown again`)
    return { text: key.key, json: key }
  },
}

const list: Command = {
  words: 'key list',
  summary: 'List API keys, masked',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace key list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('apikeys.list', { body: { limit: limitOf(options, 50) } })
    const now = cli.shell.now()
    const rows = page.items.map((key) => [
      key.short_id,
      key.name,
      key.key,
      key.last_used_at ? ageOf(key.last_used_at, now) : 'never',
      key.expires_at ?? 'never',
      key.scopes?.length === 0 ? 'all' : key.scopes?.join(','),
    ])
    return { text: cli.table(['ID', 'NAME', 'KEY', 'USED', 'ENDS', 'SCOPES'], rows), json: page }
  },
}

const revoke: Command = {
  words: 'key revoke <key>',
  summary: 'End an API key at once',
  options: [yesOption],
  example: 'millrace key revoke 01jqv3w7 --yes',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { id, name } = await findNamed(api, 'key', given)
    await confirm(cli, options, `End the key ${name}?`)
    const key = await api.call('apikeys.revoke', { path: { id } })
    return { text: `Ended ${key.name}`, json: key }
  },
}

export const keyCommands = [create, list, revoke]
