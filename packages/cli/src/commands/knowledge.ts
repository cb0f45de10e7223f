// Knowledge entries of the workspace.
import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { knowledgeTypes } from '@millrace/contract/knowledge'
import type { Api } from '../api/client.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  limitOption,
  type Options,
  pageOf,
  searchOption,
  text,
} from '../command.ts'
import { usage } from '../failures.ts'
import { utf8Of } from '../files/utf8.ts'
import { findKnowledge, homeNamespace, named, type RefPath, refPath } from '../find-refs.ts'
import { exportFolder, importFolder } from '../knowledge/folder.ts'
import { deleteCommand, requireChange } from '../resource.ts'
import { readAll } from '../shell.ts'
import { visibilityNames } from '../visibility.ts'

const readContent = async ({ shell }: Cli, path: string): Promise<string> => {
  if (path === '-') return readAll(shell.stdin)
  const bytes = await readFile(resolve(shell.cwd, path)).catch(() => {
    throw usage(`${path} cannot be read`)
  })
  return utf8Of(bytes, path)
}

const list: Command = {
  words: 'knowledge list',
  summary: 'List knowledge entries of the workspace',
  options: [searchOption, limitOption(50), cursorOption],
  example: 'millrace knowledge list\nmillrace knowledge list --search deploy',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('knowledge.list', { body: pageOf(options, 50) })
    const rows = page.items.map((entry) => [
      `${entry.namespace}/${entry.name}`,
      entry.type ?? '',
      visibilityNames[entry.visibility ?? 'private'],
      entry.description ?? '',
    ])
    return { text: cli.table(['ENTRY', 'TYPE', 'VISIBILITY', 'DESCRIPTION'], rows), json: page }
  },
}

const show: Command = {
  words: 'knowledge show <entry>',
  summary: 'Print the text of an entry: namespace/name[@version]',
  example: 'millrace knowledge show research/on-call',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const entry = await findKnowledge(api, given, { include: 'content' })
    const { content, uri } = entry.version?.content ?? {}
    return { text: content ?? `The text is long; read it at ${uri}`, json: entry }
  },
}

const entryOptions: readonly CommandOption[] = [
  ['--description <text>', 'what the entry is about'],
  ['--type <type>', knowledgeTypes.join(', ')],
]

const fieldsOf = (options: Options) => {
  const description = text(options, 'description')
  const given = text(options, 'type')
  const type = knowledgeTypes.find((one) => one === given)
  if (given !== undefined && type === undefined) throw usage(`--type must be one of ${knowledgeTypes.join(', ')}`)
  return { ...(description === undefined ? {} : { description }), ...(type === undefined ? {} : { type }) }
}

/** The file of an entry keeps the name of the source file. */
const versionOf = async (cli: Cli, name: string, file: string) => ({
  content: { path: file === '-' ? `${name}.md` : basename(file), content: await readContent(cli, file) },
})

/** New entries belong to the current workspace. */
const requireHome = async (api: Api, { namespace, name }: RefPath): Promise<void> => {
  const own = await homeNamespace(api)
  if (namespace !== own) throw usage(`${namespace}/${name} is not in the current workspace ${own}`)
}

const create: Command = {
  words: 'knowledge create <name> <file>',
  summary: 'Create an entry from a file; - for stdin',
  options: entryOptions,
  example: 'millrace knowledge create on-call on-call.md --description "The on-call schedule"',
  run: async (cli, [given = '', file = ''], options) => {
    const api = cli.api()
    const path = await refPath(api, given)
    await requireHome(api, path)
    const body = {
      name: path.name,
      description: '',
      ...fieldsOf(options),
      version: await versionOf(cli, path.name, file),
    }
    const entry = await api.call('knowledge.create', { body })
    return { text: `${entry.namespace}/${entry.name}@${entry.version?.short_id ?? ''}`, json: entry }
  },
}

const update: Command = {
  words: 'knowledge update <entry> [file]',
  summary: 'Write a new version of an entry from a file (- for stdin), or change its description or type',
  options: entryOptions,
  example: 'millrace knowledge update research/on-call on-call.md',
  run: async (cli, [given = '', file], options) => {
    const api = cli.api()
    if (file === undefined) requireChange(options, entryOptions)
    const content = file === undefined ? {} : { version: await versionOf(cli, basename(given), file) }
    const found = await findKnowledge(api, given)
    const body = { ...fieldsOf(options), ...content }
    const entry = await api.call('knowledge.update', { path: { id: found.id }, body }, { ifMatch: found.version_id })
    return { text: `${entry.namespace}/${entry.name}@${entry.version?.short_id ?? ''}`, json: entry }
  },
}

const remove = deleteCommand({
  noun: 'knowledge',
  argument: 'entry',
  summary: 'Delete an entry',
  example: 'research/on-call',
  find: async (api, given) => named(await findKnowledge(api, given)),
  remove: (api, { id }) => api.call('knowledge.delete', { path: { id } }),
})

const importCommand: Command = {
  words: 'knowledge import <folder>',
  summary: 'Create or update an entry for every Markdown file in a folder; front matter sets its fields',
  example: 'millrace knowledge import notes',
  run: async (cli, [folder = '']) => {
    const api = cli.api()
    const entries = await importFolder(api, resolve(cli.shell.cwd, folder), await homeNamespace(api))
    const rows = entries.map(({ path, ref, outcome }) => [outcome, ref, path])
    return { text: cli.table(['RESULT', 'ENTRY', 'FILE'], rows), json: entries }
  },
}

const exportCommand: Command = {
  words: 'knowledge export <folder>',
  summary: 'Write every entry of the workspace to a Markdown file',
  example: 'millrace knowledge export notes',
  run: async (cli, [folder = '']) => {
    const files = await exportFolder(cli.api(), resolve(cli.shell.cwd, folder), cli.shell.platform)
    return { text: `Wrote ${files.length} files to ${folder}`, json: files }
  },
}

export const knowledgeCommands = [list, show, create, update, remove, importCommand, exportCommand]
