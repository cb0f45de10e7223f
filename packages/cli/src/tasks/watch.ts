// Shows a task while it runs and turns its end into output and an exit code.
import { taskStatus, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Cli, Result } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { safeText } from '../table.ts'
import { createLogReader } from './log-text.ts'
import { createProgressLine, type ProgressLine } from './progress-line.ts'
import type { TaskUpdate } from './stream-lines.ts'

export type WatchOptions = {
  /** Prints logs, statuses and deltas to stderr. */
  readonly verbose: boolean
  /** Called with the first state of the task. */
  readonly onStart?: (task: Task) => void
}

/** `updates` come from `follow.ts`. */
export const watchTask = async (
  { shell, json, emit }: Cli,
  updates: AsyncIterable<TaskUpdate>,
  options: WatchOptions,
): Promise<Task> => {
  const line = createProgressLine(shell)
  const newLogs = createLogReader()
  let last = null as Task | null
  const release = shell.onInterrupt(() => {
    line.clear()
    if (last) shell.err(`Task ${last.id} continues; cancel it with: millrace task cancel ${last.id}\n`)
    shell.exit(exitCodes.interrupted)
  })
  try {
    for await (const update of updates) {
      if (options.verbose && json) await emit(update)
      if (update.kind === 'delta') {
        const { response } = update.delta
        if (options.verbose && !json && typeof response === 'string') line.write(safeText(response))
        continue
      }
      const { task } = update
      if (last === null) options.onStart?.(task)
      if (options.verbose && !json) {
        if (task.status !== last?.status && shell.columns === null) line.write(`${taskStatusText(task.status)}\n`)
        for (const { text } of newLogs(task.logs)) line.write(safeText(text.endsWith('\n') ? text : `${text}\n`))
      }
      if (!json && shell.columns === null) writeReason(line, task, last)
      last = task
      line.show(task)
    }
  } finally {
    release()
    line.clear()
  }
  if (last === null) throw new CliFailure('The server sent no task')
  return last
}

/** Without a terminal there is no status line, so each new reason is one line. */
const writeReason = (line: ProgressLine, task: Task, last: Task | null): void => {
  const reason = task.status === taskStatus.queued ? task.queue_reason?.message : undefined
  if (reason !== undefined && reason !== last?.queue_reason?.message) line.write(`Waiting: ${safeText(reason)}\n`)
}

const endCodes: Readonly<Record<number, ExitCode>> = {
  [taskStatus.completed]: exitCodes.ok,
  [taskStatus.failed]: exitCodes.taskFailed,
  [taskStatus.cancelled]: exitCodes.taskCancelled,
}

export const exitCodeOfTask = ({ status }: Pick<Task, 'status'>): ExitCode => endCodes[status] ?? exitCodes.ok

/** Prints the output to stdout, and the failure of a task to stderr. */
export const endOfTask = ({ shell, json }: Cli, task: Task, extra: object = {}): Result => {
  if (!json && task.status === taskStatus.failed) shell.err(`The task failed: ${safeText(task.error ?? '')}\n`)
  if (!json && task.status === taskStatus.cancelled) shell.err('The task was canceled\n')
  const text = task.status === taskStatus.completed ? JSON.stringify(task.output, null, 2) : ''
  return { text, json: { ...task, ...extra }, exitCode: exitCodeOfTask(task) }
}
