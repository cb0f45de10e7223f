// A task until its end. The first line of a stream is the whole task, so a broken connection is simply opened again.
import { setTimeout as sleep } from 'node:timers/promises'
import { requestOf } from '@millrace/contract/call'
import { isTerminal } from '@millrace/contract/task-status'
import type { RunRequest, Task } from '@millrace/contract/tasks'
import type { Api } from '../api/client.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { foldLine, linesOf, type TaskUpdate } from './stream-lines.ts'

const attemptsMax = 10
const pauseMs = (failures: number): number => Math.min(250 * 2 ** failures, 5_000)

/** Ends after the update that holds the terminal status. */
export async function* followTask(api: Api, id: string): AsyncGenerator<TaskUpdate> {
  for (let failures = 0; failures < attemptsMax; failures++) {
    if (failures > 0) await sleep(pauseMs(failures))
    try {
      const stream = readStream((signal) => api.open(requestOf('tasks.stream', { path: { id } }, { signal })))
      for await (const update of stream) {
        // A line is a sign of life: the patience for the next break starts anew.
        failures = 0
        yield update
        if (isEnd(update)) return
      }
    } catch (error) {
      if (!isBreak(error)) throw error
    }
  }
  throw new CliFailure(`The connection was lost; task ${id} goes on: millrace task get ${id}`, {
    exitCode: exitCodes.unavailable,
    code: 'unreachable',
  })
}

/** Starts a run and follows it in the same answer; should that break, the task is followed by its id. */
export async function* followRun(api: Api, request: RunRequest): AsyncGenerator<TaskUpdate> {
  let id: string | undefined
  try {
    for await (const update of readStream((signal) =>
      api.open(requestOf('tasks.run', { body: { ...request, stream: true } }, { signal })),
    )) {
      if (update.kind === 'task') id = update.task.id
      yield update
      if (isEnd(update)) return
    }
  } catch (error) {
    // Before its first line nobody knows whether there is a task: then the caller decides.
    if (id === undefined || !isBreak(error)) throw error
  }
  if (id === undefined) throw new CliFailure('The run was answered without a task', { exitCode: exitCodes.unavailable })
  yield* followTask(api, id)
}

const isEnd = (update: TaskUpdate): boolean => update.kind === 'task' && isTerminal(update.task.status)

/** Whoever stops reading closes the connection. */
async function* readStream(open: (signal: AbortSignal) => Promise<Response>): AsyncGenerator<TaskUpdate> {
  const closing = new AbortController()
  try {
    const response = await open(closing.signal)
    let task: Task | null = null
    for await (const line of linesOf(response.body ?? emptyBody())) {
      const update = foldLine(task, line)
      if (update === null) continue
      if (update.kind === 'task') task = update.task
      yield update
    }
  } finally {
    closing.abort()
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** A lost connection or a busy server; any other refusal is final. */
const isBreak = (error: unknown): boolean =>
  error instanceof CliFailure ? error.exitCode === exitCodes.unavailable : error instanceof TypeError
