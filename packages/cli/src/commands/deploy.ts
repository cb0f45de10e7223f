// Deploys an app. The implementation is loaded on demand, because it includes the engine's discovery.
import { resolve } from 'node:path'
import { type Command, flag } from '../command.ts'

type Deployed = {
  readonly ref: string
  readonly version: string
  readonly active: boolean
  readonly functions: readonly string[]
  readonly default_function: string
}

/** A function is named only when the app has no default function. */
export const nextSteps = ({ ref, version, active, functions, default_function: usual }: Deployed): string[] => {
  const called = functions.includes(usual) ? '' : `:${functions[0]}`
  return active
    ? [`  millrace app show ${ref}`, `  millrace run ${ref}${called} -i key=value --wait`]
    : [`  millrace run ${ref}@${version}${called} --wait`, `  millrace app promote ${ref} ${version}`]
}

const deploy: Command = {
  words: 'deploy [folder]',
  summary: 'Deploy the app of a folder as a new version',
  options: [['--staged', 'do not make the new version the active one']],
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
    const { ref, version, active } = deployed
    cli.hint('', 'Next:', ...nextSteps(deployed))
    return { text: `${ref}@${version}${active ? '' : ' (staged)'}`, json: deployed }
  },
}

export const deployCommands = [deploy]
