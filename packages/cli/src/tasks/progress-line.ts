// The status line at the bottom of the terminal. It is overwritten in place and removed when the task ends.
import { taskStatus, taskStatusText } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Shell } from '../shell.ts'
import { printable } from '../table.ts'

type ShownTask = Pick<Task, 'status' | 'output' | 'queue_reason'>

export const progressText = (task: ShownTask, elapsedMs: number, columns: number): string => {
  const shown = task.output !== null && task.output !== undefined ? JSON.stringify(task.output) : ''
  const waiting = task.status === taskStatus.queued ? task.queue_reason?.message : undefined
  const output = waiting ?? (shown === '{}' ? '' : shown)
  const line = printable(`${taskStatusText(task.status)} ${(elapsedMs / 1000).toFixed(1)}s ${output}`).trimEnd()
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`
}

export type ProgressLine = {
  show(task: ShownTask): void
  /** Writes above the line. */
  write(text: string): void
  clear(): void
}

const eraseLine = '\r\u001B[K'
const redrawMs = 100

/** Without a terminal there is no status line. */
export const createProgressLine = (shell: Shell): ProgressLine => {
  const { columns } = shell
  if (columns === null) return { show: () => {}, write: shell.err, clear: () => {} }
  const beganAtMs = shell.now().getTime()
  let current: ShownTask | null = null
  const draw = () => {
    if (current) shell.err(`${eraseLine}${progressText(current, shell.now().getTime() - beganAtMs, columns)}`)
  }
  const timer = setInterval(draw, redrawMs)
  timer.unref()
  return {
    show: (task) => {
      current = task
      draw()
    },
    write: (text) => {
      shell.err(`${current ? eraseLine : ''}${text}`)
      if (text.endsWith('\n')) draw()
    },
    clear: () => {
      clearInterval(timer)
      if (current) shell.err(eraseLine)
      current = null
    },
  }
}
