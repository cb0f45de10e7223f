// What a workspace knows: entries, skills, and finding either.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { collections, suggestTypes } from '@millrace/contract/search'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, limitOf, text, wholeNumber } from '../command.ts'
import { CliFailure, usage } from '../failures.ts'
import { firstCharacters, utf8Of } from '../files/utf8.ts'
import { findEntry, homeNamespace, type RefPath, refPath } from '../find.ts'
import { exportFolder, importFolder } from '../knowledge/folder.ts'
import { readAll } from '../shell.ts'

const pageOptions = [
  ['--search <text>', 'only those whose name or description holds this'],
  ['--limit <count>', 'how many (default 50)'],
  ['--cursor <cursor>', 'continue where a page ended'],
] as const

const pageOf = (options: Readonly<Record<string, unknown>>) => {
  const term = text(options, 'search')
  const cursor = text(options, 'cursor')
  return {
    limit: limitOf(options, 50),
    ...(cursor === undefined ? {} : { cursor }),
    ...(term === undefined ? {} : { search: { term } }),
  }
}

const contentFrom = async ({ shell }: Cli, path: string): Promise<string> => {
  if (path === '-') return readAll(shell.stdin)
  const bytes = await readFile(resolve(shell.cwd, path)).catch(() => {
    throw usage(`${path} cannot be read`)
  })
  return utf8Of(bytes, path)
}

const listKnowledge: Command = {
  words: 'knowledge list',
  summary: 'List entries of the workspace',
  options: pageOptions,
  example: 'millrace knowledge list --search deploy',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('knowledge.list', { body: pageOf(options) })
    const rows = page.items.map((entry) => [
      `${entry.namespace}/${entry.name}`,
      entry.type ?? '',
      entry.visibility ?? '',
      entry.description ?? '',
    ])
    return { text: cli.table(['ENTRY', 'TYPE', 'VISIBLE TO', 'DESCRIPTION'], rows), json: page }
  },
}

const getKnowledge: Command = {
  words: 'knowledge get <entry>',
  summary: 'Print the text of an entry: namespace/name[@version]',
  example: 'millrace knowledge get research/on-call',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const entry = await api.call('knowledge.get_by_ref', {
      path: await refPath(api, given),
      query: { include: 'content' },
    })
    const { content, uri } = entry.version?.content ?? {}
    return { text: content ?? `The text is long; read it at ${uri}`, json: entry }
  },
}

/** What is new is made in the own workspace, whatever namespace was said. */
const refuseElsewhere = async (api: Api, { namespace, name }: RefPath): Promise<void> => {
  const own = await homeNamespace(api)
  if (namespace !== own) throw usage(`${namespace}/${name} is not there, and new entries are made in ${own}`)
}

const addKnowledge: Command = {
  words: 'knowledge add <name> <file>',
  summary: 'Write an entry, or a new version of one, from a file; - for stdin',
  options: [
    ['--description <text>', 'what it is about (needed for a new entry)'],
    ['--type <type>', 'observation, concept, reference, preference, person, project or agent-config'],
  ],
  example: 'millrace knowledge add on-call on-call.md --description "Who is on call, and when"',
  run: async (cli, [name = '', file = ''], options) => {
    const api = cli.api()
    const content = await contentFrom(cli, file)
    const path = await refPath(api, name)
    const version = { content: { path: file === '-' ? `${path.name}.md` : basename(file), content } }
    const description = text(options, 'description')
    const type = text(options, 'type')
    const body = {
      ...(description === undefined ? {} : { description }),
      ...(type === undefined ? {} : { type: type as 'concept' }),
      version,
    }
    const held = await findEntry(api, path)
    if (!held) await refuseElsewhere(api, path)
    const entry = held
      ? await api.call('knowledge.update', { path: { id: held.id }, body }, { ifMatch: held.version_id })
      : await api.call('knowledge.create', { body: { name: path.name, description: description ?? '', ...body } })
    return { text: `${entry.namespace}/${entry.name}@${entry.version?.short_id ?? ''}`, json: entry }
  },
}

const importKnowledge: Command = {
  words: 'knowledge import <folder>',
  summary: 'Make an entry of every Markdown file in a folder; front matter says what it is',
  example: 'millrace knowledge import notes',
  run: async (cli, [folder = '']) => {
    const api = cli.api()
    const done = await importFolder(api, resolve(cli.shell.cwd, folder), await homeNamespace(api))
    const rows = done.map(({ path, ref, outcome }) => [outcome, ref, path])
    return { text: cli.table(['', 'ENTRY', 'FILE'], rows), json: done }
  },
}

const exportKnowledge: Command = {
  words: 'knowledge export <folder>',
  summary: 'Write every entry of the workspace to a Markdown file',
  example: 'millrace knowledge export notes',
  run: async (cli, [folder = '']) => {
    const done = await exportFolder(cli.api(), resolve(cli.shell.cwd, folder), cli.shell.platform)
    return { text: `Wrote ${done.length} files to ${folder}`, json: done }
  },
}

const removeKnowledge: Command = {
  words: 'knowledge delete <entry>',
  summary: 'Delete an entry',
  example: 'millrace knowledge delete research/on-call',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const { id, namespace, name } = await api.call('knowledge.get_by_ref', { path: await refPath(api, given) })
    const json = await api.call('knowledge.delete', { path: { id } })
    return { text: `Deleted ${namespace}/${name}`, json }
  },
}

const listSkills: Command = {
  words: 'skill list',
  summary: 'List skills of the workspace',
  options: pageOptions,
  example: 'millrace skill list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('skills.list', { body: pageOf(options) })
    const rows = page.items.map((skill) => [
      `${skill.namespace}/${skill.name}`,
      skill.visibility ?? '',
      `${skill.installs ?? 0}`,
      skill.description ?? '',
    ])
    return { text: cli.table(['SKILL', 'VISIBLE TO', 'INSTALLS', 'DESCRIPTION'], rows), json: page }
  },
}

const getSkill: Command = {
  words: 'skill get <skill>',
  summary: 'Print the instructions of a skill',
  example: 'millrace skill get research/write-a-report',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const answer = await api.call('skills.content', { path: await refPath(api, given) })
    return { text: answer.content, json: answer }
  },
}

const installSkill: Command = {
  words: 'skill install <skill> [folder]',
  summary: 'Save a skill with all its files (default: in a folder of its name)',
  example: 'millrace skill install research/write-a-report .skills/write-a-report',
  run: async (cli, [given = '', folder]) => {
    const api = cli.api()
    const skill = await api.call('skills.download', { path: await refPath(api, given) })
    const root = resolve(cli.shell.cwd, folder ?? skill.name)
    for (const { path, content } of skill.files) {
      const target = resolve(root, path)
      // Nothing of a server's answer may lead out of the folder.
      if (!target.startsWith(`${root}${sep}`)) throw new CliFailure(`${path} lies outside of ${root}`)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, content)
    }
    return { text: `Saved ${skill.files.length} files in ${relative(cli.shell.cwd, root) || '.'}`, json: skill }
  },
}

const publishSkill: Command = {
  words: 'skill publish <folder>',
  summary: 'Publish a folder with a SKILL.md, or a new version of it',
  options: [
    ['--name <name>', 'name of the skill (default: the name of the folder)'],
    ['--description <text>', 'when to use it (default: the first line of SKILL.md)'],
  ],
  example: 'millrace skill publish .skills/write-a-report',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const folder = resolve(cli.shell.cwd, given)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
      throw usage(`${given} is no folder that can be read`)
    })
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    const files = await Promise.all(
      paths.sort().map(async (path) => {
        const name = relative(folder, path).split(sep).join('/')
        return { path: name, content: utf8Of(await readFile(path), name) }
      }),
    )
    const main = files.find(({ path }) => path === 'SKILL.md')
    if (!main) throw usage(`${given} holds no SKILL.md`)
    const firstLine = main.content.split('\n').find((line) => /\p{L}/u.test(line)) ?? ''
    const skill = await api.call('skills.publish', {
      body: {
        name: text(options, 'name') ?? basename(folder),
        description: text(options, 'description') ?? firstCharacters(firstLine.replace(/^[#\s]+/, ''), 1024),
        files,
      },
    })
    return { text: `${skill.namespace}/${skill.name}@${skill.version?.short_id ?? ''}`, json: skill }
  },
}

const search: Command = {
  words: 'search <query>',
  summary: 'Find apps, skills, knowledge, agents and flows',
  options: [
    ['--in <collections>', `only these, separated by commas: ${collections.join(', ')}`],
    ['--limit <count>', 'how many of each (default 20)'],
  ],
  example: 'millrace search "resize images" --in apps,skills',
  run: async (cli, [query = ''], options) => {
    const limit = wholeNumber(options, 'limit', { least: 1 })
    const answer = await cli.api().call('search.find', {
      body: {
        query,
        ...(limit === undefined ? {} : { limit }),
        collections: text(options, 'in')?.split(',') as (typeof collections)[number][] | undefined,
      },
    })
    const rows = answer.results.map(({ collection, score, fields }) => [
      score.toFixed(2),
      collection,
      `${fields.namespace}/${fields.name}`,
      firstCharacters(`${fields.description}`, 80),
    ])
    return { text: cli.table(['SCORE', 'KIND', 'NAME', 'DESCRIPTION'], rows), json: answer }
  },
}

const suggest: Command = {
  words: 'suggest <task>',
  summary: 'What fits a task, and the command that uses it',
  options: [['--category <category>', suggestTypes.join(', ')]],
  example: 'millrace suggest "make a picture larger"',
  run: async (cli, [query = ''], options) => {
    const category = text(options, 'category') as (typeof suggestTypes)[number] | undefined
    const answer = await cli.api().call('suggest.find', { body: { query, ...(category ? { category } : {}) } })
    const rows = answer.results.map(({ type, description, command }) => [
      type,
      command,
      firstCharacters(description, 80),
    ])
    return {
      text: rows.length === 0 ? 'Nothing fits' : cli.table(['KIND', 'COMMAND', 'DESCRIPTION'], rows),
      json: answer,
    }
  },
}

export const knowledgeCommands = [
  listKnowledge,
  getKnowledge,
  addKnowledge,
  importKnowledge,
  exportKnowledge,
  removeKnowledge,
  listSkills,
  getSkill,
  installSkill,
  publishSkill,
  search,
  suggest,
]
