// Reads a stream until its end and opens it again after a lost connection. The first update of every stream is the whole
// state, so nothing has to be remembered.
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'
import { linesOf } from './stream-lines.ts'

const maxAttempts = 10
const pauseMs = (failures: number): number => Math.min(250 * 2 ** failures, 5_000)

/** A lost connection or a busy server. Any other failure is final. */
export const isLost = (error: unknown): boolean =>
  error instanceof CliFailure ? error.exitCode === exitCodes.unavailable : error instanceof TypeError

type Parts<T> = {
  readonly open: () => AsyncIterable<T>
  readonly isEnd: (update: T) => boolean
  /** The failure after the last attempt. */
  readonly giveUp: () => CliFailure
}

/** Ends after the update for which `isEnd` holds. */
export async function* reconnecting<T>({ open, isEnd, giveUp }: Parts<T>): AsyncGenerator<T> {
  for (let failures = 0; failures < maxAttempts; failures++) {
    if (failures > 0) await sleep(pauseMs(failures))
    try {
      for await (const update of open()) {
        // Each update proves that the connection works, so the count starts again.
        failures = 0
        yield update
        if (isEnd(update)) return
      }
    } catch (error) {
      if (!isLost(error)) throw error
    }
  }
  throw giveUp()
}

/** The lines of a response. The connection closes when the reader stops. */
export async function* readLines(open: (signal: AbortSignal) => Promise<Response>): AsyncGenerator<string> {
  const closing = new AbortController()
  try {
    const { body } = await open(closing.signal)
    if (body) yield* linesOf(body)
  } finally {
    closing.abort()
  }
}

export const connectionLost = (what: string, command: string): CliFailure =>
  new CliFailure(`The connection was lost; ${what} continues`, {
    exitCode: exitCodes.unavailable,
    code: 'unreachable',
    hint: `\`${command}\` shows it`,
  })
