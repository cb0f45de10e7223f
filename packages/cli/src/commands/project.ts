// Projects: folders for agents, triggers and chats.
import { projectTypes } from '@millrace/contract/projects'
import type { Api } from '../api/client.ts'
import { type Command, type CommandOption, cursorOption, limitOption, type Options, pageOf, text } from '../command.ts'
import { usage } from '../failures.ts'
import { findNamed } from '../find.ts'
import { findAgent } from '../find-refs.ts'
import { changesOf, deleteCommand, requireChange, showCommand } from '../resource.ts'

const list: Command = {
  words: 'project list',
  summary: 'List projects of the workspace',
  options: [limitOption(100), cursorOption],
  example: 'millrace project list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('projects.list', { body: pageOf(options, 100) })
    const rows = page.items.map((project) => [project.short_id ?? '', project.type ?? '', project.name ?? ''])
    return { text: cli.table(['ID', 'TYPE', 'NAME'], rows), json: page }
  },
}

const show = showCommand({
  noun: 'project',
  example: '"Spring launch"',
  find: async (api, given) => {
    const { id } = await findNamed(api, 'project', given)
    return api.call('projects.get', { path: { id } })
  },
  rows: ({ id, name, type, description, parent_id, created_at }) => [
    ['project', name],
    ['id', id],
    ['type', type],
    ['description', description],
    ['parent', parent_id],
    ['created', created_at],
  ],
})

const typeOf = (options: Options) => {
  const given = text(options, 'type')
  const type = projectTypes.find((one) => one === given)
  if (given !== undefined && type === undefined) throw usage(`--type must be one of ${projectTypes.join(', ')}`)
  return type
}

const parentOf = async (api: Api, options: Options): Promise<{ parent_id?: string }> => {
  const parent = text(options, 'parent')
  if (parent === undefined) return {}
  return { parent_id: parent === '-' ? '' : (await findNamed(api, 'project', parent)).id }
}

const create: Command = {
  words: 'project create <name>',
  summary: 'Create a project',
  options: [
    ['--type <type>', `${projectTypes.join(', ')} (default other)`],
    ['--description <text>', 'description of the project'],
    ['--parent <project>', 'parent project'],
  ],
  example: 'millrace project create "Spring launch" --type agent',
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const texts = changesOf(options, { description: 'description' })
    const body = { name, type: typeOf(options) ?? 'other', ...texts, ...(await parentOf(api, options)) }
    const project = await api.call('projects.create', { body })
    return { text: project.id, json: project }
  },
}

const updateOptions: readonly CommandOption[] = [
  ['--name <name>', 'new name'],
  ['--type <type>', projectTypes.join(', ')],
  ['--description <text>', 'new description'],
  ['--parent <project>', 'new parent project; - removes the parent'],
]

const update: Command = {
  words: 'project update <project>',
  summary: 'Change a project',
  options: updateOptions,
  example: 'millrace project update "Spring launch" --name "Summer launch"',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const { id } = await findNamed(api, 'project', given)
    const type = typeOf(options)
    const body = {
      ...changesOf(options, { name: 'name', description: 'description' }),
      ...(type && { type }),
      ...(await parentOf(api, options)),
    }
    const project = await api.call('projects.update', { path: { id }, body })
    return { text: `Updated ${project.name}`, json: project }
  },
}

const remove = deleteCommand({
  noun: 'project',
  summary: 'Delete a project; its agents, triggers and chats stay',
  example: '"Spring launch"',
  find: (api, given) => findNamed(api, 'project', given),
  remove: (api, { id }) => api.call('projects.delete', { path: { id } }),
})

const moveOptions: readonly CommandOption[] = [
  ['--agent <agent>', 'an agent'],
  ['--trigger <trigger>', 'a trigger'],
  ['--chat <id>', 'a chat'],
]

const move: Command = {
  words: 'project move <project>',
  summary: 'Move an agent, a trigger or a chat to a project; - removes it from its project',
  options: moveOptions,
  example: 'millrace project move "Spring launch" --agent research/helper',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    requireChange(options, moveOptions)
    const target = given === '-' ? null : await findNamed(api, 'project', given)
    const [agent, trigger, chat] = ['agent', 'trigger', 'chat'].map((name) => text(options, name))
    const json = await api.call('projects.move', {
      body: {
        project_id: target?.id ?? null,
        ...(agent === undefined ? {} : { agent_id: (await findAgent(api, agent)).id }),
        ...(trigger === undefined ? {} : { trigger_id: (await findNamed(api, 'trigger', trigger)).id }),
        ...(chat === undefined ? {} : { chat_id: chat }),
      },
    })
    return { text: target === null ? 'Removed from its project' : `Moved to ${target.name}`, json }
  },
}

export const projectCommands = [list, show, create, update, remove, move]
