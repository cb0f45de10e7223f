// Artifacts: published HTML and Markdown pages.
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { ArtifactContent } from '@millrace/contract/artifacts'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from '../api/client.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  flag,
  limitOption,
  pageOf,
  text,
} from '../command.ts'
import { appName } from '../deploy/template.ts'
import { CliFailure, usage } from '../failures.ts'
import { findArtifact, findAt, homeNamespace, named, refPath } from '../find-refs.ts'
import { changesOf, deleteCommand, requireChange } from '../resource.ts'
import { visibilityNames } from '../visibility.ts'

const list: Command = {
  words: 'artifact list',
  summary: 'List artifacts of the workspace',
  options: [limitOption(50), cursorOption],
  example: 'millrace artifact list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('artifacts.list', { body: pageOf(options, 50) })
    const rows = page.items.map((item) => [
      `${item.namespace}/${item.name}`,
      item.type ?? '',
      visibilityNames[item.visibility ?? 'private'],
      `${item.version?.number ?? ''}`,
      item.title ?? '',
    ])
    return { text: cli.table(['ARTIFACT', 'TYPE', 'VISIBILITY', 'VERSION', 'TITLE'], rows), json: page }
  },
}

const contentByRef = async (api: Api, given: string): Promise<ArtifactContent> => {
  const { id, version_id } = await api.call('artifacts.get_by_ref', { path: await refPath(api, given) })
  return api.call('artifacts.version_content', { path: { id, versionId: version_id } })
}

const show: Command = {
  words: 'artifact show <artifact>',
  summary: 'Print the source of an artifact: its id or namespace/name[@version]',
  example: 'millrace artifact show research/report',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    // An id of an artifact contains an underscore, so it is not a ref.
    const isRef = parseRef(given) !== null
    const answer = isRef ? await contentByRef(api, given) : await api.call('artifacts.content', { path: { id: given } })
    return { text: answer.content, json: answer }
  },
}

const readBase64 = async ({ shell }: Cli, file: string) => {
  const bytes = await readFile(resolve(shell.cwd, file)).catch(() => {
    throw usage(`${file} cannot be read`)
  })
  return { content: bytes.toString('base64'), content_encoding: 'base64' } as const
}

const create: Command = {
  words: 'artifact create <file>',
  summary: 'Publish an HTML or Markdown file and print its address',
  options: [
    ['--title <title>', 'title (default: name of the file)'],
    ['--name <name>', 'name (default: made from the title)'],
  ],
  example: 'millrace artifact create report.html --title "Report"',
  run: async (cli, [file = ''], options) => {
    const api = cli.api()
    const content = await readBase64(cli, file)
    const title = text(options, 'title') ?? file.replace(/^.*[\\/]/, '').replace(/\.[^.]+$/, '')
    const name = text(options, 'name') ?? appName(title)
    const namespace = await homeNamespace(api)
    if (name !== '' && (await findAt(api, 'artifact', { namespace, name })))
      throw new CliFailure(`Artifact ${namespace}/${name} already exists`, {
        code: 'already_exists',
        hint: `Publish a new version with \`millrace artifact update ${name} ${file}\``,
      })
    const type = /^\.(md|markdown)$/i.test(extname(file)) ? 'markdown' : 'html'
    const artifact = await api.call('artifacts.publish', { body: { title, type, name, ...content } })
    return { text: artifact.url ?? artifact.id, json: artifact }
  },
}

const updateOptions: readonly CommandOption[] = [
  ['--title <title>', 'new title'],
  ['--description <text>', 'new description'],
]

const update: Command = {
  words: 'artifact update <artifact> [file]',
  summary: 'Publish a new version of an artifact from a file, or change its title or description',
  options: [
    ...updateOptions,
    ['--base <version>', 'version that the file is based on; refused if there is a newer version'],
    ['--force', 'publish over a newer version'],
  ],
  example: 'millrace artifact update research/report report.html',
  run: async (cli, [given = '', file], options) => {
    const api = cli.api()
    if (file === undefined) requireChange(options, updateOptions)
    const content = file === undefined ? undefined : await readBase64(cli, file)
    const { id } = await findArtifact(api, given)
    const texts = changesOf(options, { title: 'title', description: 'description' })
    const base = changesOf(options, { base: 'base_version_id' })
    const artifact = content
      ? await api.call('artifacts.publish_version', {
          path: { id },
          body: { ...content, ...texts, ...base, force: flag(options, 'force') },
        })
      : await api.call('artifacts.update', { path: { id }, body: texts })
    return { text: artifact.url ?? artifact.id, json: artifact }
  },
}

const remove = deleteCommand({
  noun: 'artifact',
  example: 'research/report',
  find: async (api, given) => named(await findArtifact(api, given)),
  remove: (api, { id }) => api.call('artifacts.delete', { path: { id } }),
})

export const artifactCommands = [list, show, create, update, remove]
