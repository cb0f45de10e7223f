// Apps: starting one, and what became of those that are there.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isSlug } from '@millrace/contract/refs'
import { type Command, text, wholeNumber } from '../command.ts'
import { languages, slugOf, templateFiles } from '../deploy/template.ts'
import { CliFailure, usage } from '../failures.ts'
import { askText } from '../login/ask.ts'
import { table } from '../table.ts'
import { findApp } from '../tasks/input.ts'

const init: Command = {
  words: 'app init [folder]',
  summary: 'Start an app in a new or empty folder',
  options: [
    ['--name <name>', 'name of the app (default: the name of the folder)'],
    ['--language <language>', 'node or python (default node)'],
  ],
  example: 'millrace app init my-app --language python',
  run: async ({ shell }, [given = '.'], options) => {
    const folder = resolve(shell.cwd, given)
    const suggested = slugOf(basename(folder))
    const name = text(options, 'name') ?? (shell.interactive ? await askText('Name of the app', suggested) : suggested)
    if (!isSlug(name)) throw usage('The name takes small letters, digits and single dashes, at most 64')
    const language = languages.find((one) => one === (text(options, 'language') ?? 'node'))
    if (!language) throw usage(`--language must be one of ${languages.join(', ')}`)
    const present = await readdir(folder).catch(() => [])
    if (present.some((entry) => entry !== '.git'))
      throw new CliFailure(`${folder} is not empty; name a new folder`, { code: 'not_empty' })
    const files = templateFiles(name, language)
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content, { flag: 'wx' })
    }
    const where = relative(shell.cwd, folder)
    return {
      text: `Made ${name}. Deploy it with: millrace deploy${where === '' ? '' : ` ${where}`}`,
      json: { name, folder, language, files: Object.keys(files) },
    }
  },
}

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
        limit: wholeNumber(options, 'limit') ?? 50,
        cursor: text(options, 'cursor'),
        search: term === undefined ? undefined : { term },
      },
    })
    const rows = page.items.map((app) => [`${app.namespace}/${app.name}`, app.visibility, app.status, app.title])
    return { text: table(['APP', 'VISIBLE TO', 'STATUS', 'TITLE'], rows), json: page }
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
      body: { limit: wholeNumber(options, 'limit') ?? 20 },
    })
    const rows = page.items.map((version) => [
      version.id === app.version_id ? '*' : '',
      version.short_id,
      Object.keys(version.functions ?? {}).join(','),
      version.created_at,
    ])
    const items = page.items.map((version) => ({ ...version, active: version.id === app.version_id }))
    return { text: table(['', 'VERSION', 'FUNCTIONS', 'CREATED'], rows), json: { ...page, items } }
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

export const appCommands = [init, list, versions, promote]
