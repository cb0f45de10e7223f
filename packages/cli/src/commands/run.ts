// Runs an app.
import { infras, type RunRequest } from '@millrace/contract/tasks'
import { type Command, durationMs, flag, type Options, text } from '../command.ts'
import { usage } from '../failures.ts'
import { downloadOutputs } from '../files/outputs.ts'
import { appRefOf, explainMissingApp } from '../find-refs.ts'
import { followRun } from '../tasks/follow.ts'
import { inputSchemaOf, readInput, uploadLocalFiles } from '../tasks/input.ts'
import { endOfTask, watchTask } from '../tasks/watch.ts'

const infraOf = (options: Options): RunRequest['infra'] => {
  const given = text(options, 'infra')
  const known = infras.find((infra) => infra === given)
  if (given !== undefined && known === undefined) throw usage(`--infra must be one of ${infras.join(', ')}`)
  return known
}

const secondsOf = (options: Options, name: string): number | undefined => {
  const ms = durationMs(options, name, { min: 1_000 })
  return ms === undefined ? undefined : Math.round(ms / 1_000)
}

const run: Command = {
  words: 'run <app>',
  summary: 'Run an app: namespace/name[@version][:function]',
  options: [
    ['-i, --input <input>', 'key=value, or a JSON object; @path in a file field uploads a local file', 'repeats'],
    ['--input-file <path>', 'read the input from a file; - for stdin'],
    ['--wait', 'wait until the run ends and print its output'],
    ['--follow', 'wait, and show logs and progress (with --json: one event per line, the task last)'],
    ['--download <folder>', 'wait, and save the files of the output in a folder'],
    ['--session <id>', 'reuse one worker for several runs: new, or the id of a session'],
    ['--session-timeout <duration>', 'how long a new session may be idle, such as 5m'],
    ['--infra <infra>', infras.join(', ')],
    ['--variant <name>', 'use this variant of the version'],
  ],
  example: `millrace run millrace/word-count -i text='to be or not to be' --wait\nmillrace run acme/resize -i photo=@cat.png -i width=640 --download out`,
  run: async (cli, [typed = ''], options) => {
    const api = cli.api()
    const app = appRefOf(typed)
    const given = await readInput(cli.shell, options, () => inputSchemaOf(api, app))
    const input = await uploadLocalFiles(api, cli.shell, app, given)
    const request = {
      app,
      input,
      session: text(options, 'session'),
      session_timeout: secondsOf(options, 'sessionTimeout'),
      infra: infraOf(options),
      variant: text(options, 'variant'),
    }
    const folder = text(options, 'download')
    if (!flag(options, 'wait') && !flag(options, 'follow') && folder === undefined) {
      const accepted = await api
        .call('tasks.run', { body: request })
        .catch((error: unknown) => explainMissingApp(api, app, error))
      return { text: accepted.id, json: accepted }
    }
    const task = await watchTask(cli, followRun(api, request), {
      verbose: flag(options, 'follow'),
      onStart: ({ id, session_id: session }) => {
        if (!cli.json) cli.shell.err(`Task ${id}${session ? ` session ${session}` : ''}\n`)
      },
    }).catch((error: unknown) => explainMissingApp(api, app, error))
    if (folder === undefined) return endOfTask(cli, task)
    return endOfTask(cli, task, { downloads: await downloadOutputs(cli, api, task, folder) })
  },
}

export const runCommands = [run]
