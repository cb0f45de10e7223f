// Artifacts and projects.
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import type { ArtifactContent } from '@millrace/contract/artifacts'
import { projectTypes } from '@millrace/contract/projects'
import { parseRef } from '@millrace/contract/refs'
import type { Api } from '../api/client.ts'
import { type Command, flag, limitOf, text } from '../command.ts'
import { usage } from '../failures.ts'
import { refPath } from '../find.ts'

const listArtifacts: Command = {
  words: 'artifact list',
  summary: 'List artifacts of the workspace',
  options: [['--limit <count>', 'how many (default 50)']],
  example: 'millrace artifact list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('artifacts.list', { body: { limit: limitOf(options, 50) } })
    const rows = page.items.map((item) => [
      `${item.namespace}/${item.name}`,
      item.type ?? '',
      item.visibility ?? '',
      `${item.version?.number ?? ''}`,
      item.title ?? '',
    ])
    return { text: cli.table(['ARTIFACT', 'TYPE', 'VISIBLE TO', 'VERSION', 'TITLE'], rows), json: page }
  },
}

const publish: Command = {
  words: 'artifact publish <file>',
  summary: 'Publish an HTML or Markdown file, or a new version of it, and print its address',
  options: [
    ['--title <title>', 'its title (default: the name of the file)'],
    ['--name <name>', 'its name (default: made of the title)'],
    ['--base <version>', 'the version it was built on; refused when there is a newer one'],
    ['--force', 'publish over a newer version'],
  ],
  example: 'millrace artifact publish report.html --title "Report"',
  run: async (cli, [file = ''], options) => {
    const api = cli.api()
    const bytes = await readFile(resolve(cli.shell.cwd, file)).catch(() => {
      throw usage(`${file} cannot be read`)
    })
    const name = text(options, 'name')
    const base = text(options, 'base')
    const artifact = await api.call('artifacts.publish', {
      body: {
        title: text(options, 'title') ?? file.replace(/^.*[\\/]/, '').replace(/\.[^.]+$/, ''),
        type: /^\.(md|markdown)$/i.test(extname(file)) ? 'markdown' : 'html',
        content: bytes.toString('base64'),
        content_encoding: 'base64',
        force: flag(options, 'force'),
        ...(name === undefined ? {} : { name }),
        ...(base === undefined ? {} : { base_version_id: base }),
      },
    })
    return { text: artifact.url ?? artifact.id, json: artifact }
  },
}

const contentByRef = async (api: Api, given: string): Promise<ArtifactContent> => {
  const { id, version_id } = await api.call('artifacts.get_by_ref', { path: await refPath(api, given) })
  return api.call('artifacts.version_content', { path: { id, versionId: version_id } })
}

const getArtifact: Command = {
  words: 'artifact get <artifact>',
  summary: 'Print the source of an artifact: its id or namespace/name[@version]',
  example: 'millrace artifact get research/report',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    // An id is no ref: names hold no underscore.
    const isRef = parseRef(given) !== null
    const answer = isRef ? await contentByRef(api, given) : await api.call('artifacts.content', { path: { id: given } })
    return { text: answer.content, json: answer }
  },
}

const listProjects: Command = {
  words: 'project list',
  summary: 'List projects of the workspace',
  example: 'millrace project list',
  run: async (cli) => {
    const page = await cli.api().call('projects.list', { body: { limit: 100 } })
    const rows = page.items.map((project) => [project.short_id ?? '', project.type ?? '', project.name ?? ''])
    return { text: cli.table(['PROJECT', 'TYPE', 'NAME'], rows), json: page }
  },
}

const createProject: Command = {
  words: 'project create <name>',
  summary: 'Create a project',
  options: [
    ['--type <type>', `${projectTypes.join(', ')} (default other)`],
    ['--parent <project>', 'the project that it is part of'],
  ],
  example: 'millrace project create "Spring launch" --type agent',
  run: async (cli, [name = ''], options) => {
    const type = projectTypes.find((one) => one === (text(options, 'type') ?? 'other'))
    if (!type) throw usage(`--type must be one of ${projectTypes.join(', ')}`)
    const parent = text(options, 'parent')
    const body = { name, type, ...(parent === undefined ? {} : { parent_id: parent }) }
    const project = await cli.api().call('projects.create', { body })
    return { text: project.id, json: project }
  },
}

const removeProject: Command = {
  words: 'project delete <project>',
  summary: 'Delete a project; what was in it lives on',
  example: 'millrace project delete 01jqv3w7',
  run: async (cli, [id = '']) => ({
    text: `Deleted ${id}`,
    json: await cli.api().call('projects.delete', { path: { id } }),
  }),
}

const moveToProject: Command = {
  words: 'project move <project>',
  summary: 'Put an agent, a trigger or a chat into a project; - takes it out',
  options: [
    ['--agent <id>', 'an agent'],
    ['--trigger <id>', 'a trigger'],
    ['--chat <id>', 'a chat'],
  ],
  example: 'millrace project move 01jqv3w7 --agent 01jqv4aa',
  run: async (cli, [id = ''], options) => {
    const [agent, trigger, chat] = ['agent', 'trigger', 'chat'].map((name) => text(options, name))
    const json = await cli.api().call('projects.move', {
      body: {
        project_id: id === '-' ? null : id,
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(trigger === undefined ? {} : { trigger_id: trigger }),
        ...(chat === undefined ? {} : { chat_id: chat }),
      },
    })
    return { text: id === '-' ? 'Taken out' : `Moved to ${id}`, json }
  },
}

export const artifactCommands = [
  listArtifacts,
  publish,
  getArtifact,
  listProjects,
  createProject,
  removeProject,
  moveToProject,
]
