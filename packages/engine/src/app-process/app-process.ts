// One app process, from the engine's side: the calls of the local protocol over a kept-alive connection, its log lines,
// and its end. Independent of tasks, workers and the server.

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { parseJson, readBounded, tryParseJson } from '../bounded-json.ts'
import { messageOf, TaskFailure } from '../failures.ts'
import type { AppFolders, Exit, RunningProcess } from '../runtimes/runtime.ts'
import { type AppSchema, parseAppSchema } from './app-schema.ts'
import { splitLines } from './log-lines.ts'
import { createMarkerBoard, type MarkerBoard } from './markers.ts'
import { type RunLine, readRunLines } from './run-lines.ts'

export type Metadata = {
  worker_id: string
  app_id: string
  app_version_id: string
  app_variant: string
  gpu_ids: string[]
  task_id: string
  team_id: string
  user_id: string
  /** The trace of the run; also in TRACEPARENT while it runs. */
  traceparent?: string
}

export type RunCall = { input: unknown; function: string; metadata: Metadata }

export type AppProcess = {
  readonly schema: AppSchema
  readonly folders: { host: AppFolders; inside: AppFolders }
  readonly exited: Promise<Exit>
  readonly alive: () => boolean
  logTo: (sink: ((line: string) => void) | undefined) => void
  setup: (setup: unknown, metadata: Metadata) => Promise<void>
  // `onBegun` is called when the app process has accepted the call.
  run: (call: RunCall, onBegun: () => void) => AsyncGenerator<RunLine>
  // Settles when every line that the app printed during the named call has been passed to the sink.
  logsEnded: (name: string) => Promise<void>
  cancel: (metadata: Metadata) => Promise<{ handled: boolean }>
  socketUrl: (taskId: string) => { url: string; headers: Record<string, string> }
  // Starts a call; the returned function ends it. Stricter limits apply between calls.
  work: () => () => void
  unload: (withinMs: number) => Promise<void>
  kill: () => Promise<void>
}

export type Connected = {
  running: RunningProcess
  token: string
  host: AppFolders
  outputLimitBytes: number
  onLine: (line: string) => void
}

export const connectAppProcess = async (made: Connected): Promise<AppProcess> => {
  const { running, token } = made
  let sink: ((line: string) => void) | undefined = made.onLine
  // A process that is being killed no longer counts as alive.
  let isBeingKilled = false
  const markAsKilled = () => {
    isBeingKilled = true
  }
  void running.exited.then(markAsKilled)
  const markers = createMarkerBoard()
  for (const stream of [running.stdout, running.stderr]) {
    const lines = splitLines(token, { line: (text) => sink?.(text), marker: markers.post })
    stream.on('data', lines)
    stream.on('error', () => {})
  }
  return {
    ...(await openCalls(made, markers)),
    folders: { host: made.host, inside: running.inside },
    exited: running.exited,
    alive: () => !isBeingKilled,
    logTo: (next) => {
      sink = next
    },
    logsEnded: markers.ended,
    work: running.work,
    kill: () => {
      markAsKilled()
      return running.kill()
    },
  }
}

const openCalls = async ({ running, token, outputLimitBytes }: Connected, markers: MarkerBoard) => {
  void running.exited.then((exit) => markers.fail(`the app process ended before it was ready (${describeExit(exit)})`))
  const endpoint = await running.endpoint(await markers.port)
  const socketPath = 'socketPath' in endpoint ? endpoint.socketPath : undefined
  const authority = 'socketPath' in endpoint ? 'app' : `${endpoint.host}:${endpoint.port}`
  const pool = new Pool(`http://${authority}`, {
    ...(socketPath !== undefined && { socketPath }),
    connections: 4,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 3_600_000,
    keepAliveMaxTimeout: 3_600_000,
  })
  void running.exited.then(() => pool.destroy().catch(() => {}))
  const headers = { 'content-type': 'application/json', 'x-millrace-token': token }
  const post = (path: string, body: unknown) =>
    pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) })

  const described = await pool.request({ method: 'GET', path: '/schema', headers })
  const schema = parseAppSchema(await readJson(described.body, outputLimitBytes))

  async function* run(call: RunCall, onBegun: () => void): AsyncGenerator<RunLine> {
    markers.begin(call.metadata.task_id)
    const { body, statusCode } = await post('/run', call)
    if (statusCode !== 200) throw new TaskFailure(await errorText(body))
    onBegun()
    let isOver = false
    try {
      for await (const line of readRunLines(body.iterator({ destroyOnReturn: false }), outputLimitBytes)) {
        isOver = line.type === 'result' || line.type === 'error'
        yield line
      }
    } finally {
      // A complete response is read to its end, so that the next run can reuse the connection. In any other case the
      // connection is closed, and the app is notified.
      if (isOver) body.dump({ limit: maxDrainBytes, signal: AbortSignal.timeout(drainTimeoutMs) }).catch(() => {})
      else body.on('error', () => {}).destroy()
    }
  }

  return {
    schema,
    run,
    setup: async (setup: unknown, metadata: Metadata) => {
      markers.begin('setup')
      const { body, statusCode } = await post('/setup', { setup, metadata })
      if (statusCode !== 200) throw new TaskFailure(`setup failed: ${await errorText(body)}`)
      await body.dump()
    },
    cancel: async (metadata: Metadata) => {
      const { body, statusCode } = await post('/cancel', { metadata })
      if (statusCode !== 200) throw new TaskFailure(await errorText(body))
      const answer = await readJson(body, outputLimitBytes)
      return {
        handled: typeof answer === 'object' && answer !== null && 'handled' in answer && answer.handled === true,
      }
    },
    socketUrl: (taskId: string) => ({
      url: `${socketPath === undefined ? `ws://${authority}` : `ws+unix://${socketPath}:`}/socket/${encodeURIComponent(taskId)}`,
      headers: { 'x-millrace-token': token },
    }),
    unload: async (withinMs: number) => {
      const polite = post('/unload', {}).then(
        ({ body }) => body.dump(),
        () => {},
      )
      await Promise.race([polite, new Promise((resolve) => setTimeout(resolve, withinMs).unref())])
      await running.kill()
    },
  }
}

// An app can replace its runner and send any response, so every response is bounded.
const readJson = async (body: AsyncIterable<Buffer>, limitBytes: number): Promise<unknown> => {
  const { text, whole } = await readBounded(body, limitBytes)
  if (!whole) throw new TaskFailure(`the app answered with more than ${limitBytes} bytes`)
  try {
    return parseJson(text)
  } catch (error) {
    throw new TaskFailure(`the app answered with a body that ${messageOf(error)}`)
  }
}

const errorBytes = 256 * 1024

const errorText = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const { text } = await readBounded(body, errorBytes)
  const parsed = tryParseJson(text)
  if (typeof parsed === 'object' && parsed !== null && 'error' in parsed) return String(parsed.error)
  return text.slice(0, 500)
}

// Limits for reading a response to its end after its last relevant line; beyond them, the connection is closed instead.
const drainTimeoutMs = 100
const maxDrainBytes = 131_072

// Processes that the app started are killed before it counts as ended.
const exitMs = 3_000

// A broken connection to an app process is only a symptom; the exit of the process is the reason.
export const explainBreak = async (process: AppProcess, error: unknown, lastLine = ''): Promise<unknown> => {
  if (error instanceof TaskFailure) return error
  const exit = await Promise.race([process.exited, sleep(exitMs, undefined, { ref: false })])
  if (!exit) return error
  if (exit.overLimit) return new TaskFailure(exit.overLimit)
  const last = lastLine === '' ? '' : `: ${lastLine}`
  return new TaskFailure(`the app process ended unexpectedly (${describeExit(exit)})${last}`)
}

export const describeExit = (exit: Exit): string =>
  exit.overLimit ?? (exit.signal ? `signal ${exit.signal}` : `exit code ${exit.code}`)
