// Apps that are there: looking at them, choosing a version, deleting.
import { type Command, limitOf, text } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { findApp } from '../find.ts'
import { printable } from '../table.ts'
import { ageOf } from '../times.ts'

const list: Command = {
  words: 'app list',
  summary: 'List apps of the workspace',
  options: [
    ['--search <text>', 'only those whose name or description holds this'],
    ['--limit <count>', 'how many (default 50)'],
    ['--cursor <cursor>', 'continue where a page ended'],
  ],
  example: 'millrace app list --search image',
  run: async (cli, _args, options) => {
    const term = text(options, 'search')
    const page = await cli.api().call('apps.list', {
      body: {
        limit: limitOf(options, 50),
        cursor: text(options, 'cursor'),
        search: term === undefined ? undefined : { term },
      },
    })
    const rows = page.items.map((app) => [`${app.namespace}/${app.name}`, app.visibility, app.status, app.title])
    return { text: cli.table(['APP', 'VISIBLE TO', 'STATUS', 'TITLE'], rows), json: page }
  },
}

const versions: Command = {
  words: 'app versions <app>',
  summary: 'List the versions of an app, newest first; * marks the active one',
  options: [['--limit <count>', 'how many (default 20)']],
  example: 'millrace app versions research/summary',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    const app = await findApp(api, ref)
    const page = await api.call('apps.versions', {
      path: { id: app.id },
      body: { limit: limitOf(options, 20) },
    })
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

/** What a function takes: its fields, the required ones marked. */
const fieldsOf = (schema: unknown): string => {
  const { properties = {}, required = [] } = (schema ?? {}) as { properties?: object; required?: string[] }
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `${name}*` : name))
    .join(', ')
}

const show: Command = {
  words: 'app show <app>',
  summary: 'Show an app: its functions, what they take (* required), and what it needs',
  example: 'millrace app show millrace/echo',
  run: async (cli, [ref = '']) => {
    const app = await findApp(cli.api(), ref)
    const { version } = app
    const functions = Object.entries(version?.functions ?? {})
    const needs = [...(version?.required_secrets ?? []), ...(version?.required_integrations ?? [])].map(
      ({ key }) => key,
    )
    const lines = [
      `${app.namespace}/${app.name}${version ? `@${version.short_id}` : ''}  ${app.title}`,
      ...(app.description === '' ? [] : [app.description]),
      `status   ${app.status}${app.status_message ? `: ${app.status_message}` : ''}, ${app.visibility}`,
      ...(needs.length === 0 ? [] : [`needs    ${needs.join(', ')}`]),
      ...functions.map(([name, { input_schema }]) => `:${name}  ${fieldsOf(input_schema)}`),
    ]
    return { text: lines.map(printable).join('\n'), json: app }
  },
}

const store: Command = {
  words: 'app store',
  summary: 'List apps that everybody here may run',
  options: [
    ['--search <text>', 'only those whose name or description holds this'],
    ['--limit <count>', 'how many (default 50)'],
  ],
  example: 'millrace app store --search image',
  run: async (cli, _args, options) => {
    const term = text(options, 'search')
    const body = { limit: limitOf(options, 50), search: term === undefined ? undefined : { term } }
    const page = await cli.openApi().call('store.apps', { body })
    const rows = page.items.map((app) => [`${app.namespace}/${app.name}`, app.category, app.title, app.description])
    return { text: cli.table(['APP', 'CATEGORY', 'TITLE', 'DESCRIPTION'], rows), json: page }
  },
}

const remove: Command = {
  words: 'app delete <app>',
  summary: 'Delete an app with its versions; its runs stay',
  options: [yesOption],
  example: 'millrace app delete research/summary --yes',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    await confirm(cli, options, `Delete ${ref}?`)
    const { id, namespace, name } = await findApp(api, ref)
    await api.call('apps.delete', { path: { id } })
    return { text: `Deleted ${namespace}/${name}`, json: { id, ref: `${namespace}/${name}`, deleted: true } }
  },
}

export const appCommands = [list, show, store, versions, promote, remove]
