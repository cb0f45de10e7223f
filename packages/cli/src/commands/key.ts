// API keys of the workspace, for programs.
import { type Command, cursorOption, durationMs, flag, limitOption, type Options, pageOf, text } from '../command.ts'
import { findNamed } from '../find.ts'
import { deleteCommand, showCommand } from '../resource.ts'
import { ageOf } from '../times.ts'

const expiryOf = (options: Options, now: Date): string | undefined => {
  const ms = durationMs(options, 'expiresIn', { min: 1_000 })
  return ms === undefined ? undefined : new Date(now.getTime() + ms).toISOString()
}

const list: Command = {
  words: 'key list',
  summary: 'List API keys, masked',
  options: [limitOption(50), cursorOption],
  example: 'millrace key list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('apikeys.list', { body: pageOf(options, 50) })
    const now = cli.shell.now()
    const rows = page.items.map((key) => [
      key.short_id,
      key.name,
      key.key,
      key.last_used_at ? ageOf(key.last_used_at, now) : 'never',
      key.expires_at ?? 'never',
      key.scopes?.length === 0 ? 'all' : key.scopes?.join(','),
    ])
    return { text: cli.table(['ID', 'NAME', 'KEY', 'USED', 'EXPIRES', 'SCOPES'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'key',
  summary: 'Show an API key, masked',
  example: 'deploy-bot',
  find: async (api, given) => {
    const { id, name } = await findNamed(api, 'key', given)
    const page = await api.call('apikeys.list', { body: { filters: [{ field: 'id', operator: 'eq', value: id }] } })
    return page.items[0] ?? { id, name }
  },
  rows: ({ id, name, key, scopes, last_used_at, expires_at }) => [
    ['key', name],
    ['id', id],
    ['value', key],
    ['scopes', scopes?.length === 0 ? 'all' : scopes?.join(', ')],
    ['used', last_used_at ?? 'never'],
    ['expires', expires_at ?? 'never'],
  ],
})

const create: Command = {
  words: 'key create <name>',
  summary: 'Create an API key and print it; it is shown only once',
  options: [
    ['--scopes <list>', 'only these scopes, separated by commas (default: every scope that a key can have)'],
    ['--expires-in <duration>', 'such as 12h or 90d (default: never)'],
    ['--workspace', 'owned by the workspace instead of you, so that it stays when you leave'],
  ],
  example: 'millrace key create deploy-bot --scopes apps:read,apps:write --expires-in 90d',
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const key = await api.call('apikeys.create', {
      body: {
        name,
        scope: flag(options, 'workspace') ? 'workspace' : undefined,
        scopes: text(options, 'scopes')?.split(','),
        expires_at: expiryOf(options, cli.shell.now()),
      },
    })
    cli.hint(`Created key ${key.name} (${key.short_id}). It is not shown again.`)
    return { text: key.key, json: key }
  },
}

const update: Command = {
  words: 'key update <key>',
  summary: 'Replace the value of an API key and print the new one',
  options: [
    ['--grace <duration>', 'how long the old value stays valid, such as 10m (default 24h; 0s ends it at once)'],
  ],
  example: 'millrace key update deploy-bot --grace 10m',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const grace = durationMs(options, 'grace')
    const { id } = await findNamed(api, 'key', given)
    const body = grace === undefined ? {} : { grace_seconds: Math.round(grace / 1_000) }
    const key = await api.call('apikeys.rotate', { path: { id }, body })
    cli.hint(`Replaced the value of key ${key.name} (${key.short_id}). It is not shown again.`)
    return { text: key.key, json: key }
  },
}

const remove = deleteCommand({
  noun: 'key',
  summary: 'Delete an API key; programs that use it are signed out at once',
  example: 'deploy-bot',
  find: (api, given) => findNamed(api, 'key', given),
  remove: (api, { id }) => api.call('apikeys.revoke', { path: { id } }),
})

export const keyCommands = [list, show, create, update, remove]
