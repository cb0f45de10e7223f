// Starting an app: a folder with code that runs as it is.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isSlug } from '@millrace/contract/refs'
import { type Command, text } from '../command.ts'
import { languages, slugOf, templateFiles } from '../deploy/template.ts'
import { CliFailure, usage } from '../failures.ts'
import { askText } from '../login/ask.ts'
import { quoted } from '../shell.ts'

const init: Command = {
  words: 'app init [folder]',
  summary: 'Start an app in a new or empty folder',
  options: [
    ['--name <name>', 'name of the app (default: the name of the folder)'],
    ['--language <language>', 'node or python (default node)'],
  ],
  example: 'millrace app init my-app --language python',
  run: async (cli, [given = '.'], options) => {
    const { shell } = cli
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
    cli.hint(
      '',
      'Next:',
      `  millrace deploy${where === '' ? '' : ` ${quoted(where)}`}`,
      `  millrace run ${name} -i name=Ada --wait`,
    )
    return {
      text: `Made ${name} in ${where === '' ? 'this folder' : where}: ${Object.keys(files).join(', ')}`,
      json: { name, folder, language, files: Object.keys(files) },
    }
  },
}

export const appInitCommands = [init]
