// Creates the folder of a new app, with code that runs.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isSlug } from '@millrace/contract/refs'
import { type Command, text } from '../command.ts'
import { appName, languages, templateFiles } from '../deploy/template.ts'
import { CliFailure, usage } from '../failures.ts'
import { askText } from '../login/ask.ts'
import { quoted } from '../shell.ts'

const create: Command = {
  words: 'app create [folder]',
  summary: 'Create an app in a new or empty folder; `millrace deploy` deploys it',
  options: [
    ['--name <name>', 'name of the app (default: the name of the folder)'],
    ['--language <language>', `${languages.join(' or ')} (default node)`],
  ],
  example: 'millrace app create my-app\nmillrace app create my-app --language python',
  run: async (cli, [given = '.'], options) => {
    const { shell } = cli
    const folder = resolve(shell.cwd, given)
    const suggested = appName(basename(folder))
    const name = text(options, 'name') ?? (shell.interactive ? await askText('Name of the app', suggested) : suggested)
    if (!isSlug(name))
      throw usage(`${name} is not a name for an app; use at most 64 lower-case letters, digits and single dashes`)
    const language = languages.find((one) => one === (text(options, 'language') ?? 'node'))
    if (!language) throw usage(`--language must be one of ${languages.join(', ')}`)
    const present = await readdir(folder).catch(() => [])
    if (present.some((entry) => entry !== '.git'))
      throw new CliFailure(`${folder} is not empty`, { code: 'not_empty', hint: 'Pass a new or empty folder' })
    const files = templateFiles(name, language)
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content, { flag: 'wx' })
    }
    const where = relative(shell.cwd, folder)
    cli.hint(
      '',
      'Next:',
      `  millrace deploy${where === '' ? '' : ` ${quoted(where)}`}`,
      `  millrace run ${name} -i name=Ada --wait`,
    )
    return {
      text: `Created ${name} in ${where === '' ? 'this folder' : where}: ${Object.keys(files).join(', ')}`,
      json: { name, folder, language, files: Object.keys(files) },
    }
  },
}

export const appCreateCommands = [create]
