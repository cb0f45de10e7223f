// Skills of agents.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import {
  type Cli,
  type Command,
  type CommandOption,
  cursorOption,
  limitOption,
  pageOf,
  searchOption,
  text,
} from '../command.ts'
import { CliFailure, usage } from '../failures.ts'
import { firstCharacters, utf8Of } from '../files/utf8.ts'
import { findAt, findSkill, homeNamespace, named, refPath } from '../find-refs.ts'
import { deleteCommand } from '../resource.ts'
import { visibilityNames } from '../visibility.ts'

const list: Command = {
  words: 'skill list',
  summary: 'List skills of the workspace',
  options: [searchOption, limitOption(50), cursorOption],
  example: 'millrace skill list',
  run: async (cli, _args, options) => {
    const page = await cli.api().call('skills.list', { body: pageOf(options, 50) })
    const rows = page.items.map((skill) => [
      `${skill.namespace}/${skill.name}`,
      visibilityNames[skill.visibility ?? 'private'],
      `${skill.installs ?? 0}`,
      skill.description ?? '',
    ])
    return { text: cli.table(['SKILL', 'VISIBILITY', 'INSTALLS', 'DESCRIPTION'], rows), json: page }
  },
}

const show: Command = {
  words: 'skill show <skill>',
  summary: 'Print the instructions of a skill',
  example: 'millrace skill show research/write-a-report',
  run: async (cli, [given = '']) => {
    const api = cli.api()
    const answer = await api.call('skills.content', { path: await refPath(api, given) })
    return { text: answer.content, json: answer }
  },
}

const install: Command = {
  words: 'skill install <skill> [folder]',
  summary: 'Save the files of a skill in a folder (default: the name of the skill)',
  example: 'millrace skill install research/write-a-report .skills/write-a-report',
  run: async (cli, [given = '', folder]) => {
    const api = cli.api()
    const skill = await api.call('skills.download', { path: await refPath(api, given) })
    const root = resolve(cli.shell.cwd, folder ?? skill.name)
    for (const { path, content } of skill.files) {
      const target = resolve(root, path)
      // A path from the server must not leave the folder.
      if (!target.startsWith(`${root}${sep}`)) throw new CliFailure(`${path} is outside of ${root}`)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, content)
    }
    return { text: `Saved ${skill.files.length} files in ${relative(cli.shell.cwd, root) || '.'}`, json: skill }
  },
}

const readSkill = async ({ shell }: Cli, given: string) => {
  const folder = resolve(shell.cwd, given)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw usage(`Folder ${given} cannot be read`)
  })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.sort().map(async (path) => {
      const name = relative(folder, path).split(sep).join('/')
      return { path: name, content: utf8Of(await readFile(path), name) }
    }),
  )
  const main = files.find(({ path }) => path === 'SKILL.md')
  if (!main) throw usage(`${given} does not contain SKILL.md`)
  const firstLine = main.content.split('\n').find((line) => /\p{L}/u.test(line)) ?? ''
  return { name: basename(folder), files, firstLine: firstCharacters(firstLine.replace(/^[#\s]+/, ''), 1024) }
}

const descriptionOption: CommandOption = ['--description <text>', 'when to use it (default: first line of SKILL.md)']

const create: Command = {
  words: 'skill create <folder>',
  summary: 'Publish a folder with a SKILL.md as a new skill',
  options: [['--name <name>', 'name of the skill (default: name of the folder)'], descriptionOption],
  example: 'millrace skill create .skills/write-a-report',
  run: async (cli, [given = ''], options) => {
    const api = cli.api()
    const { files, firstLine, ...folder } = await readSkill(cli, given)
    const name = text(options, 'name') ?? folder.name
    const namespace = await homeNamespace(api)
    if (await findAt(api, 'skill', { namespace, name }))
      throw new CliFailure(`Skill ${namespace}/${name} already exists`, {
        code: 'already_exists',
        hint: `Publish a new version with \`millrace skill update ${name} ${given}\``,
      })
    const body = { name, description: text(options, 'description') ?? firstLine, files }
    const skill = await api.call('skills.publish', { body })
    return { text: `${skill.namespace}/${skill.name}@${skill.version?.short_id ?? ''}`, json: skill }
  },
}

const update: Command = {
  words: 'skill update <skill> <folder>',
  summary: 'Publish a folder with a SKILL.md as a new version of a skill',
  options: [descriptionOption],
  example: 'millrace skill update research/write-a-report .skills/write-a-report',
  run: async (cli, [ref = '', given = ''], options) => {
    const api = cli.api()
    const { files, firstLine } = await readSkill(cli, given)
    const { id, version_id } = await findSkill(api, ref)
    const body = { description: text(options, 'description') ?? firstLine, files }
    const skill = await api.call('skills.update', { path: { id }, body }, { ifMatch: version_id })
    return { text: `${skill.namespace}/${skill.name}@${skill.version?.short_id ?? ''}`, json: skill }
  },
}

const remove = deleteCommand({
  noun: 'skill',
  example: 'research/write-a-report',
  find: async (api, given) => named(await findSkill(api, given)),
  remove: (api, { id }) => api.call('skills.delete', { path: { id } }),
})

export const skillCommands = [list, show, create, update, remove, install]
