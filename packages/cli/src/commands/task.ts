// Tasks: runs of apps.
import { isTerminal, taskStatus, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import { type Command, cursorOption, durationMs, flag, limitOption, pageOf, text } from '../command.ts'
import { usage } from '../failures.ts'
import { deleteCommand, showCommand } from '../resource.ts'
import { safeText } from '../table.ts'
import { followTask } from '../tasks/follow.ts'
import { createLogReader, decodeLog } from '../tasks/log-text.ts'
import { endOfTask, exitCodeOfTask, watchTask } from '../tasks/watch.ts'
import { ageOf, spanText } from '../times.ts'

const show = showCommand({
  noun: 'task',
  argument: 'id',
  example: '01jqv3w7',
  find: (api, id) => api.call('tasks.get', { path: { id } }),
  rows: (task) => [
    ['task', task.id],
    ['status', taskStatusText(task.status)],
    ['function', task.function],
    ['created', task.created_at],
    ['session', task.session_id],
    ['error', task.error],
    ['output', isTerminal(task.status) ? JSON.stringify(task.output, null, 2) : undefined],
  ],
})

const logs: Command = {
  words: 'task logs <id>',
  summary: 'Print the logs of a task',
  options: [['-f, --follow', 'continue until the task ends (with --json: one log entry per line)']],
  example: 'millrace task logs 01jqv3w7\nmillrace task logs -f 01jqv3w7',
  run: async (cli, [id = ''], options) => {
    const api = cli.api()
    if (!flag(options, 'follow')) {
      const answer = await api.call('tasks.logs', { path: { id } })
      const entries = answer.logs.map(decodeLog)
      const content = entries.map(({ text }) => safeText(text)).join('')
      const json = { task_id: answer.task_id, status: answer.status, logs: entries }
      return { text: content.replace(/\n$/, ''), json }
    }
    const newLogs = createLogReader()
    let status = 0
    for await (const update of followTask(api, id)) {
      if (update.kind === 'delta') continue
      status = update.task.status
      for (const entry of newLogs(update.task.logs))
        if (cli.json) await cli.emit(entry)
        else cli.shell.out(safeText(entry.text))
    }
    return { text: '', json: { task_id: id, status }, exitCode: exitCodeOfTask({ status }) }
  },
}

const wait: Command = {
  words: 'task wait <id>',
  summary: 'Wait until a task ends and print its output',
  options: [['--follow', 'show logs and progress']],
  example: 'millrace task wait 01jqv3w7',
  run: async (cli, [id = ''], options) => {
    const task = await watchTask(cli, followTask(cli.api(), id), { verbose: flag(options, 'follow') })
    return endOfTask(cli, task)
  },
}

const cancel: Command = {
  words: 'task cancel <id>',
  summary: 'Cancel a task; a finished task is not changed',
  options: [
    ['--force', 'end the app without cleanup'],
    ['--timeout <duration>', 'how long the app may take to stop, such as 30s'],
  ],
  example: 'millrace task cancel 01jqv3w7\nmillrace task cancel 01jqv3w7 --timeout 30s',
  run: async (cli, [id = ''], options) => {
    const task = await cli.api().call('tasks.cancel', {
      path: { id },
      body: { force: flag(options, 'force'), timeout: durationMs(options, 'timeout', { max: 600_000 }) },
    })
    return { text: `${task.id} ${taskStatusText(task.status)}`, json: task }
  },
}

const statusCode = (name: string): number => {
  const code = Object.entries(taskStatus).find(([known]) => known === name)?.[1]
  if (code === undefined) throw usage(`--status must be one of ${Object.keys(taskStatus).join(', ')}`)
  return code
}

/** From the creation to the end, or to now while the task runs. */
const durationOf = (task: Partial<Task>, now: Date): string =>
  spanText(task.created_at, isTerminal(task.status ?? 0) ? task.updated_at : undefined, now)

const list: Command = {
  words: 'task list',
  summary: 'List tasks of the workspace, newest first',
  options: [['--status <name>', 'queued, running, completed, failed, …'], limitOption(20), cursorOption],
  example: 'millrace task list --status failed --limit 5',
  run: async (cli, _args, options) => {
    const status = text(options, 'status')
    const page = await cli.api().call('tasks.list', {
      body: {
        ...pageOf(options, 20),
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

const remove = deleteCommand({
  noun: 'task',
  argument: 'id',
  summary: 'Delete a task; a running task is canceled first',
  example: '01jqv3w7',
  find: async (api, given) => {
    const { id } = await api.call('tasks.get', { path: { id: given } })
    return { id, name: id }
  },
  remove: (api, { id }) => api.call('tasks.delete', { path: { id } }),
})

export const taskCommands = [list, show, remove, logs, wait, cancel]
