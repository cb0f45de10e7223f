// A task until its end. The first line of a stream is the whole task, so a broken connection is simply opened again.
import { setTimeout as sleep } from 'node:timers/promises'
import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
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
    const closing = new AbortController()
    try {
      const response = await api.open(`/tasks/${encodeURIComponent(id)}/stream`, closing.signal)
      let task: Task | null = null
      for await (const line of linesOf(response.body ?? emptyBody())) {
        const update = foldLine(task, line)
        if (update === null) continue
        // A line is a sign of life: the patience for the next break starts anew.
        failures = 0
        yield update
        if (update.kind === 'delta') continue
        task = update.task
        if (isTerminal(task.status)) return
      }
    } catch (error) {
      if (!isBreak(error)) throw error
    } finally {
      closing.abort()
    }
  }
  throw new CliFailure(`The connection was lost; task ${id} goes on: millrace task get ${id}`, {
    exitCode: exitCodes.unavailable,
    code: 'unreachable',
  })
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

/** A lost connection or a busy server; any other refusal is final. */
const isBreak = (error: unknown): boolean =>
  error instanceof CliFailure ? error.exitCode === exitCodes.unavailable : error instanceof TypeError
