// Agents of the workspace.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Agent, AgentConfig, AgentVersion } from '@millrace/contract/agents'
import { visibilities } from '@millrace/contract/common'
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
import { findAgent, named } from '../find-refs.ts'
import { changesOf, deleteCommand, requireChange, showCommand } from '../resource.ts'
import { readAll } from '../shell.ts'
import { readObject } from '../tasks/input.ts'
import { ageOf } from '../times.ts'
import { visibilityNames, visibilityOf, visibilityOption } from '../visibility.ts'

const list: Command = {
  words: 'agent list',
  summary: 'List agents of the workspace',
  options: [searchOption, limitOption(50), cursorOption],
  example: 'millrace agent list\nmillrace agent list --search support',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('agents.list', { body: pageOf(options, 50) })
    const now = cli.shell.now()
    const rows = page.items.map((agent) => [
      `${agent.namespace}/${agent.name}`,
      modelOf(agent.version),
      visibilityNames[agent.visibility ?? 'private'],
      ageOf(agent.updated_at, now),
      agent.title,
    ])
    return { text: cli.table(['AGENT', 'MODEL', 'VISIBILITY', 'CHANGED', 'TITLE'], rows), json: page }
  },
}

const modelOf = (version: Pick<AgentVersion, 'core_app'> | null | undefined): string => version?.core_app?.ref ?? ''

const show = showCommand({
  noun: 'agent',
  example: 'research/helper',
  find: findAgent,
  rows: ({ namespace, name, title, visibility, version }) => [
    ['agent', `${namespace}/${name}${version ? `@${version.short_id}` : ''}`],
    ['title', title],
    ['description', version?.description],
    ['model', modelOf(version)],
    ['tools', version?.tools.map((tool) => tool.name).join(', ')],
    ['skills', version?.skills.map((skill) => skill.name).join(', ')],
    ['visibility', visibilityNames[visibility ?? 'private']],
    ['instructions', version?.system_prompt],
  ],
})

const configOptions: readonly CommandOption[] = [
  ['--title <title>', 'title of the agent'],
  ['--model <app>', 'model app, such as millrace/openai-chat'],
  ['--description <text>', 'what the agent does'],
  ['--instructions <path>', 'file with the instructions; - for stdin'],
  ['--config <path>', 'JSON file with the whole configuration; options override its fields'],
]

const readText = async ({ shell }: Cli, path: string): Promise<string> => {
  if (path === '-') return readAll(shell.stdin)
  return readFile(resolve(shell.cwd, path), 'utf8').catch(() => {
    throw usage(`${path} cannot be read`)
  })
}

/** The parts of a version's configuration that the options give. */
const configFrom = async (cli: Cli, options: Options): Promise<AgentConfig> => {
  const [model, description, instructions, file] = ['model', 'description', 'instructions', 'config'].map((name) =>
    text(options, name),
  )
  return {
    ...(file === undefined ? {} : await readObject(cli.shell, file)),
    ...(model === undefined ? {} : { core_app: { ref: model } }),
    ...(description === undefined ? {} : { description }),
    ...(instructions === undefined ? {} : { system_prompt: await readText(cli, instructions) }),
  }
}

const create: Command = {
  words: 'agent create <name>',
  summary: 'Create an agent',
  options: configOptions,
  example: 'millrace agent create helper --model millrace/openai-chat --instructions helper.md',
  run: async (cli, [name = ''], options) => {
    const api = cli.api()
    const body = { name, ...changesOf(options, { title: 'title' }), version: await configFrom(cli, options) }
    const agent = await api.call('agents.create', { body })
    return { text: `Created ${agent.namespace}/${agent.name}`, json: agent }
  },
}

const updateOptions: readonly CommandOption[] = [...configOptions, visibilityOption(visibilities)]

/** A new version replaces the whole configuration, so unchanged fields are taken from the current one. */
const currentConfig = ({ version }: Agent): AgentConfig => {
  if (!version) return {}
  const { description, system_prompt, example_prompts, core_app, tools, skills, context } = version
  const { internal_tools, hooks, output_schema, permissions } = version
  return {
    ...{ description, system_prompt, example_prompts, tools, skills, context },
    ...{ internal_tools, hooks, output_schema, permissions },
    ...(core_app ? { core_app } : {}),
  }
}

const update: Command = {
  words: 'agent update <agent>',
  summary: 'Change an agent; a changed configuration becomes a new version',
  options: updateOptions,
  example: 'millrace agent update research/helper --instructions helper.md',
  run: async (cli, [ref = ''], options) => {
    const api = cli.api()
    requireChange(options, updateOptions)
    const visibility = visibilityOf(options, visibilities)
    const config = await configFrom(cli, options)
    const found = await findAgent(api, ref)
    const path = { id: found.id }
    if (visibility !== undefined) await api.call('agents.set_visibility', { path, body: { visibility } })
    const version = text(options, 'config') === undefined ? { ...currentConfig(found), ...config } : config
    const agent = await api.call('agents.update', {
      path,
      body: { ...changesOf(options, { title: 'title' }), ...(Object.keys(config).length > 0 && { version }) },
    })
    return { text: `Updated ${agent.namespace}/${agent.name}`, json: agent }
  },
}

const remove = deleteCommand({
  noun: 'agent',
  example: 'research/helper',
  find: async (api, ref) => named(await findAgent(api, ref)),
  remove: (api, { id }) => api.call('agents.delete', { path: { id } }),
})

export const agentCommands = [list, show, create, update, remove]
