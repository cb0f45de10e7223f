// Looking at runs, and ending them.
import { isTerminal, taskStatus, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { type Command, flag, limitOf, text, wholeNumber } from '../command.ts'
import { usage } from '../failures.ts'
import { safeText } from '../table.ts'
import { followTask } from '../tasks/follow.ts'
import { createLogReader, decodeLog } from '../tasks/log-text.ts'
import { endOfTask, exitCodeOfTask, watchTask } from '../tasks/watch.ts'
import { ageOf, spanText } from '../times.ts'

const describe = (task: Task): string => {
  const lines = [
    `task      ${task.id}`,
    `status    ${taskStatusText(task.status)}`,
    `function  ${task.function}`,
    `created   ${task.created_at}`,
    ...(task.session_id ? [`session   ${task.session_id}`] : []),
    ...(task.error ? [`error     ${task.error}`] : []),
    ...(isTerminal(task.status) ? [`output    ${JSON.stringify(task.output, null, 2)}`] : []),
  ]
  return lines.join('\n')
}

const get: Command = {
  words: 'task get <id>',
  summary: 'Show a task',
  example: 'millrace task get 01jqv3w7 --json',
  run: async (cli, [id = '']) => {
    const task = await cli.api().call('tasks.get', { path: { id } })
    return { text: safeText(describe(task)), json: task }
  },
}

const logs: Command = {
  words: 'task logs <id>',
  summary: 'Print the logs of a task',
  options: [['-f, --follow', 'go on until the task ends (with --json: one piece per line)']],
  example: 'millrace task logs -f 01jqv3w7',
  run: async (cli, [id = ''], options) => {
    const api = cli.api()
    if (!flag(options, 'follow')) {
      const answer = await api.call('tasks.logs', { path: { id } })
      const pieces = answer.logs.map(decodeLog)
      const content = pieces.map(({ text }) => safeText(text)).join('')
      const json = { task_id: answer.task_id, status: answer.status, logs: pieces }
      return { text: content.replace(/\n$/, ''), json }
    }
    const newLogs = createLogReader()
    let status = 0
    for await (const update of followTask(api, id)) {
      if (update.kind === 'delta') continue
      status = update.task.status
      for (const piece of newLogs(update.task.logs))
        if (cli.json) await cli.emit(piece)
        else cli.shell.out(safeText(piece.text))
    }
    return { text: '', json: { task_id: id, status }, exitCode: exitCodeOfTask({ status }) }
  },
}

const wait: Command = {
  words: 'task wait <id>',
  summary: 'Wait for the end of a task and print its output',
  options: [['--follow', 'show logs and progress']],
  example: 'millrace task wait 01jqv3w7',
  run: async (cli, [id = ''], options) => {
    const task = await watchTask(cli, followTask(cli.api(), id), { verbose: flag(options, 'follow') })
    return endOfTask(cli, task)
  },
}

const cancel: Command = {
  words: 'task cancel <id>',
  summary: 'Cancel a task; without effect on a finished one',
  options: [
    ['--force', 'do not let the app clean up'],
    ['--timeout <milliseconds>', 'how long the app may take to stop'],
  ],
  example: 'millrace task cancel 01jqv3w7',
  run: async (cli, [id = ''], options) => {
    const task = await cli.api().call('tasks.cancel', {
      path: { id },
      body: { force: flag(options, 'force'), timeout: wholeNumber(options, 'timeout') },
    })
    return { text: `${task.id} ${taskStatusText(task.status)}`, json: task }
  },
}

const statusCode = (name: string): number => {
  const code = Object.entries(taskStatus).find(([known]) => known === name)?.[1]
  if (code === undefined) throw usage(`--status must be one of ${Object.keys(taskStatus).join(', ')}`)
  return code
}

/** From its creation to its end, or to now while it goes on. */
const durationOf = (task: Partial<Task>, now: Date): string =>
  spanText(task.created_at, isTerminal(task.status ?? 0) ? task.updated_at : undefined, now)

const list: Command = {
  words: 'task list',
  summary: 'List tasks of the workspace, newest first',
  options: [
    ['--status <name>', 'queued, running, completed, failed, …'],
    ['--limit <count>', 'how many (default 20)'],
    ['--cursor <cursor>', 'continue where a page ended'],
  ],
  example: 'millrace task list --status failed --limit 5',
  run: async (cli, _args, options) => {
    const status = text(options, 'status')
    const page = await cli.api().call('tasks.list', {
      body: {
        limit: limitOf(options, 20),
        cursor: text(options, 'cursor'),
        filters: status === undefined ? [] : [{ field: 'status', operator: 'eq', value: statusCode(status) }],
      },
    })
    const now = cli.shell.now()
    const rows = page.items.map((task) => {
      const app = task.app as { namespace?: string; name?: string } | null | undefined
      const ref = app?.name === undefined ? task.app_id : `${app.namespace}/${app.name}:${task.function}`
      return [task.short_id, taskStatusText(task.status ?? 0), ageOf(task.created_at, now), durationOf(task, now), ref]
    })
    return { text: cli.table(['ID', 'STATUS', 'AGE', 'DURATION', 'APP'], rows), json: page }
  },
}

export const taskCommands = [get, logs, wait, cancel, list]
