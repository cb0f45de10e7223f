// Follows a task until its end.
import { requestOf } from '@millrace/contract/call'
import { isTerminal } from '@millrace/contract/task-status'
import type { RunRequest, Task } from '@millrace/contract/tasks'
import type { Api } from '../api/client.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { connectionLost, isLost, readLines, reconnecting } from './reconnect.ts'
import { foldLine, type TaskUpdate } from './stream-lines.ts'

/** Ends after the update with the terminal status. */
export const followTask = (api: Api, id: string): AsyncGenerator<TaskUpdate> =>
  reconnecting({
    open: () => readUpdates((signal) => api.open(requestOf('tasks.stream', { path: { id } }, { signal }))),
    isEnd,
    giveUp: () => connectionLost(`task ${id}`, `millrace task wait ${id}`),
  })

/** Starts a run and follows it in the same response. After a lost connection it follows the task by its id. */
export async function* followRun(api: Api, request: RunRequest): AsyncGenerator<TaskUpdate> {
  let id: string | undefined
  try {
    for await (const update of readUpdates((signal) =>
      api.open(requestOf('tasks.run', { body: { ...request, stream: true } }, { signal })),
    )) {
      if (update.kind === 'task') id = update.task.id
      yield update
      if (isEnd(update)) return
    }
  } catch (error) {
    // Without a first update it is unknown whether the task exists. The caller decides whether to start it again.
    if (id === undefined || !isLost(error)) throw error
  }
  if (id === undefined)
    throw new CliFailure('The server ended the response without a task', { exitCode: exitCodes.unavailable })
  yield* followTask(api, id)
}

const isEnd = (update: TaskUpdate): boolean => update.kind === 'task' && isTerminal(update.task.status)

async function* readUpdates(open: (signal: AbortSignal) => Promise<Response>): AsyncGenerator<TaskUpdate> {
  let task: Task | null = null
  for await (const line of readLines(open)) {
    const update = foldLine(task, line)
    if (update === null) continue
    if (update.kind === 'task') task = update.task
    yield update
  }
}
