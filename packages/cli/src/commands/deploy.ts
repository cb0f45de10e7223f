// The words of a deploy. The work is loaded when it is asked for: it brings the engine's discovery along.
import { resolve } from 'node:path'
import { type Command, flag } from '../command.ts'

const deploy: Command = {
  words: 'deploy [folder]',
  summary: 'Deploy the app of a folder as a new version',
  options: [['--staged', 'register the version without making it the active one']],
  example: 'millrace deploy\nmillrace deploy ./my-app --staged --json',
  run: async (cli, [folder = '.'], options) => {
    const { api, shell, json } = cli
    const say = (line: string) => {
      if (!json) shell.err(`${line}\n`)
    }
    const signedIn = api()
    const { deployFolder } = await import('../deploy/deploy.ts')
    const deployed = await deployFolder(signedIn, {
      folder: resolve(shell.cwd, folder),
      staged: flag(options, 'staged'),
      env: shell.env,
      say,
    })
    for (const { message } of deployed.warnings) say(`warning: ${message}`)
    const { ref, version, active, functions } = deployed
    const [first] = functions
    if (active)
      cli.hint(
        '',
        'Next:',
        `  millrace app show ${ref}`,
        `  millrace run ${ref}${functions.length > 1 ? `:${first}` : ''} -i key=value --wait`,
      )
    else cli.hint('', 'Next:', `  millrace run ${ref}@${version} --wait`, `  millrace app promote ${ref} ${version}`)
    return { text: `${ref}@${version}${active ? '' : ' (staged)'}`, json: deployed }
  },
}

export const deployCommands = [deploy]
