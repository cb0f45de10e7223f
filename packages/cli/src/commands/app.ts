// Apps and their versions.
import { appVisibilities } from '@millrace/contract/apps'
import type { Api } from '../api/client.ts'
import {
  type Command,
  type CommandOption,
  cursorOption,
  limitOf,
  limitOption,
  type Options,
  pageOf,
  searchOption,
} from '../command.ts'
import { findApp, named } from '../find-refs.ts'
import { changesOf, deleteCommand, requireChange, showCommand } from '../resource.ts'
import { ageOf } from '../times.ts'
import { visibilityNames, visibilityOf, visibilityOption } from '../visibility.ts'

const list: Command = {
  words: 'app list',
  summary: 'List apps of the workspace',
  options: [searchOption, limitOption(50), cursorOption],
  example: 'millrace app list\nmillrace app list --search image',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('apps.list', { body: pageOf(options, 50) })
    const rows = page.items.map((app) => [
      `${app.namespace}/${app.name}`,
      visibilityNames[app.visibility ?? 'private'],
      app.status,
      app.title,
    ])
    return { text: cli.table(['APP', 'VISIBILITY', 'STATUS', 'TITLE'], rows), json: page }
  },
}

/** The fields of a function's input; `*` marks the required ones. */
const fieldsOf = (schema: unknown): string => {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: string[] }
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `${name}*` : name))
    .join(', ')
}

const show = showCommand({
  noun: 'app',
  summary: 'Show an app, the fields of its functions (* required) and its requirements',
  example: 'millrace/echo',
  find: findApp,
  rows: ({ namespace, name, version, title, description, status, status_message, visibility }) => {
    const required = [...(version?.required_secrets ?? []), ...(version?.required_integrations ?? [])]
    const functions = Object.entries(version?.functions ?? {})
    return [
      ['app', `${namespace}/${name}${version ? `@${version.short_id}` : ''}`],
      ['title', title],
      ['description', description],
      ['status', `${status}${status_message ? `: ${status_message}` : ''}`],
      ['visibility', visibilityNames[visibility ?? 'private']],
      ['requires', required.map(({ key }) => key).join(', ')],
      ...functions.map(([key, { input_schema }]): [string, string] => [`:${key}`, fieldsOf(input_schema) || '-']),
    ]
  },
})

const updateOptions: readonly CommandOption[] = [
  ['--title <title>', 'new title'],
  ['--description <text>', 'new description'],
  visibilityOption(appVisibilities),
]

const saveVisibility = async (api: Api, id: string, options: Options): Promise<void> => {
  const visibility = visibilityOf(options, appVisibilities)
  if (visibility !== undefined) await api.call('apps.set_visibility', { path: { id }, body: { visibility } })
}

const update: Command = {
  words: 'app update <app>',
  summary: 'Change the title, description or visibility of an app; `millrace deploy` changes its code',
  options: updateOptions,
  example: 'millrace app update research/summary --title "Summary" --visibility workspace',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const body = changesOf(options, { title: 'title', description: 'description' })
    const { id } = await findApp(api, ref)
    await saveVisibility(api, id, options)
    const app = await api.call('apps.patch', { path: { id }, body })
    return { text: `Updated ${app.namespace}/${app.name}`, json: app }
  },
}

const remove = deleteCommand({
  noun: 'app',
  summary: 'Delete an app with its versions; its runs stay',
  example: 'research/summary',
  find: async (api, ref) => named(await findApp(api, ref)),
  remove: (api, { id }) => api.call('apps.delete', { path: { id } }),
})

const store: Command = {
  words: 'app store',
  summary: 'List public apps',
  options: [searchOption, limitOption(50), cursorOption],
  example: 'millrace app store --search image',
  run: async (cli, _args, options) => {
    const page = await cli.openApi().call('store.apps', { body: pageOf(options, 50) })
    const rows = page.items.map((app) => [`${app.namespace}/${app.name}`, app.category, app.title, app.description])
    return { text: cli.table(['APP', 'CATEGORY', 'TITLE', 'DESCRIPTION'], rows), json: page }
  },
}

const versions: Command = {
  words: 'app versions <app>',
  summary: 'List the versions of an app, newest first; * marks the active version',
  options: [limitOption(20), cursorOption],
  example: 'millrace app versions research/summary',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    const app = await findApp(api, ref)
    const page = await api.call('apps.versions', { path: { id: app.id }, body: pageOf(options, limitOf(options, 20)) })
    const rows = page.items.map((version) => [
      version.id === app.version_id ? '*' : '',
      version.short_id,
      Object.keys(version.functions ?? {}).join(','),
      ageOf(version.created_at, cli.shell.now()),
    ])
    const items = page.items.map((version) => ({ ...version, active: version.id === app.version_id }))
    return { text: cli.table(['', 'VERSION', 'FUNCTIONS', 'AGE'], rows), json: { ...page, items } }
  },
}

const promote: Command = {
  words: 'app promote <app> <version>',
  summary: 'Make a version the active one',
  example: 'millrace app promote research/summary 01jqv3w7',
  run: async (cli, [ref = '', version = '']) => {
    const api = cli.api()
    const { id } = await findApp(api, ref)
    const app = await api.call('apps.promote', { path: { id, versionId: version } })
    const active = app.version?.short_id ?? version
    return {
      text: `${app.namespace}/${app.name}@${active} is active`,
      json: { ref: `${app.namespace}/${app.name}`, app_id: app.id, version_id: app.version_id, version: active },
    }
  },
}

export const appCommands = [list, show, update, remove, store, versions, promote]
