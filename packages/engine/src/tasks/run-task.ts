// One task on a worker: secrets, process, function, files, and exactly one terminal frame. The worker is free as soon
// as the function has returned; uploads continue in the background.

import {
  type RunnableTask,
  type TaskFrame,
  type TaskRun,
  type TerminalFrame,
  taskLogTypes,
} from '@millrace/contract/engine-frames'
import { mergeDelta } from '@millrace/contract/merge-deltas'
import type { SealingKeys } from '@millrace/contract/sealed-box'
import type { Api } from '../api.ts'
import { type AppProcess, explainBreak, type Metadata } from '../app-process/app-process.ts'
import { messageOf, TaskFailure } from '../failures.ts'
import type { InputFiles } from '../files/input-files.ts'
import {
  type CollectedOutput,
  collectOutputFiles,
  maxFiles,
  mayContainFiles,
  replaceOutputFiles,
} from '../files/output-files.ts'
import type { Log } from '../log.ts'
import { type ServerAddress, throughApi } from '../outbound/server-address.ts'
import type { WarmSlot } from '../workers/warm-slot.ts'
import { openSecrets } from './secrets.ts'
import { openBridge } from './socket-bridge.ts'
import { type CancelResult, createTaskControl, type TaskControl } from './task-control.ts'
import { createTaskLog, type TaskLog } from './task-log.ts'

// Dependencies that all tasks of an engine share.
export type TaskDependencies = {
  send: (frame: TaskFrame) => void
  server: ServerAddress
  keys: SealingKeys | undefined
  api: Api
  inputFiles: InputFiles
  limits: { taskMs: number; logBytes: number; outputBytes: number }
  log: Log
}

export type WorkerPlace = { workerId: string; gpuIds: readonly string[]; slot: WarmSlot }

export type RunningTask = {
  id: string
  attempt: number
  // The first settles when the worker may take another task, the second when everything of this one has ended.
  released: Promise<void>
  done: Promise<void>
  cancel: (options: { force: boolean; timeoutMs: number }) => Promise<CancelResult>
  end: TaskControl['end']
}

type Job = {
  dependencies: TaskDependencies
  place: WorkerPlace
  run: TaskRun['data']
  task: RunnableTask
  attempt: number
  control: TaskControl
  log: TaskLog
  /** The last line that the app printed, with the stack frames after it. */
  lastLine: { text: string; frames: number }
  /** How many more files it may yield before it returns. */
  filesLeft: number
  /** The largest GPU memory that was measured. */
  gpuPeakBytes?: number | undefined
  release: () => void
}

export const startTask = (dependencies: TaskDependencies, place: WorkerPlace, run: TaskRun['data']): RunningTask => {
  const { task } = run
  const attempt = task.attempt ?? 0
  const control = createTaskControl()
  const log = createTaskLog(dependencies.limits.logBytes, (type, logs) =>
    dependencies.send({ type: 'task_log', data: { task_id: task.id, attempt, log_type: type, logs } }),
  )
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const lastLine = { text: '', frames: 0 }
  const job: Job = { dependencies, place, run, task, attempt, control, log, lastLine, filesLeft: maxFiles, release }
  const done = live(job)
  return { id: task.id, attempt, released, done, cancel: control.cancel, end: control.end }
}

const live = async (job: Job): Promise<void> => {
  let terminal: TerminalFrame
  const named = { task_id: job.task.id, attempt: job.attempt }
  try {
    const collected = await runOnWorker(job)
    const output = encode(await storeFiles(job, collected), job.dependencies.limits.outputBytes)
    terminal = { type: 'task_completed', data: { ...named, output } }
  } catch (error) {
    terminal =
      job.control.reason() === 'cancelled'
        ? { type: 'task_cancelled', data: named }
        : { type: 'task_failed', data: { ...named, error: failureText(job, error) } }
  }
  if (job.gpuPeakBytes !== undefined) terminal.data = { ...terminal.data, gpu_memory_peak: job.gpuPeakBytes }
  job.log.flush()
  // A newer attempt reports for this task now, so this one sends nothing.
  if (job.control.reason() !== 'superseded') job.dependencies.send(terminal)
  job.release()
}

// Everything that needs the worker. The worker is released at the end, even after an error.
const runOnWorker = async (job: Job): Promise<CollectedOutput> => {
  const { control, place, dependencies } = job
  const timer = setTimeout(() => control.end('timed_out'), dependencies.limits.taskMs)
  let process: AppProcess | undefined
  try {
    process = await startProcess(job)
    control.attach(process)
    const output = await callFunction(job, process)
    control.enter({ name: 'finishing' })
    if (control.reason()) throw new TaskFailure('ended while running')
    if (!mayContainFiles(output)) return { value: output, files: new Map() }
    return await collectOutputFiles(output, process.folders)
  } catch (error) {
    control.enter({ name: 'finishing' })
    throw control.reason() || !process ? error : await explainBreak(process, error, job.lastLine.text)
  } finally {
    clearTimeout(timer)
    job.gpuPeakBytes = place.slot.state().gpuPeakBytes
    place.slot.endRun()
    job.release()
  }
}

const startProcess = async (job: Job): Promise<AppProcess> => {
  const { run, task, dependencies, place, log } = job
  const secrets = openSecrets(run.secrets, dependencies.keys, task.id)
  log.secrets(Object.values(secrets))
  const status = { preparing: 'task_preparing', serving: 'task_serving', setting_up: 'task_setting_up' } as const
  return place.slot.obtain({
    task,
    env: { ...task.app_env, ...secrets },
    metadata: metadataOf(job),
    onPhase: (phase) => dependencies.send({ type: status[phase], data: { task_id: task.id, attempt: job.attempt } }),
    onLine: (phase, line) => addLine(job, taskLogTypes[phase], line),
    signal: job.control.signal,
  })
}

const callFunction = async (job: Job, process: AppProcess): Promise<unknown> => {
  const { task, dependencies, run, control } = job
  const name = task.function || 'run'
  const fn = process.schema.functions[name]
  if (!fn) throw new TaskFailure(`the app has no function named ${name}`)
  const input =
    fn.file_inputs === 'engine'
      ? await dependencies.inputFiles.resolve(fn.input_schema, task.input, {
          teamId: task.team_id ?? '',
          folders: process.folders,
          signal: control.signal,
        })
      : task.input
  control.signal.throwIfAborted()
  process.logTo((line) => addLine(job, taskLogTypes.run, line))
  const metadata = metadataOf(job)
  const workEnded = process.work()
  const relay = fn.kind === 'stream' ? run.socket : undefined
  const bridge =
    relay &&
    openBridge({ ...relay, url: throughApi(relay.url, dependencies.server) ?? relay.url }, process.socketUrl(task.id))
  try {
    return await readAnswer(job, process, { input, function: name, metadata })
  } finally {
    workEnded()
    bridge?.close()
    if (process.alive()) await process.logsEnded(task.id)
  }
}

const readAnswer = async (job: Job, process: AppProcess, call: Parameters<AppProcess['run']>[0]): Promise<unknown> => {
  let sum: Record<string, unknown> | undefined
  let sumBytes = 0
  let seq = 0
  const onBegun = () => {
    job.control.enter({ name: 'running', metadata: call.metadata })
    job.dependencies.send({ type: 'task_running', data: { task_id: job.task.id, attempt: job.attempt } })
  }
  for await (const line of process.run(call, onBegun)) {
    if (line.type === 'error') throw new TaskFailure(line.error)
    if (line.type === 'result' && 'data' in line) return line.data
    if (line.type === 'result') {
      if (sumBytes > job.dependencies.limits.outputBytes) throw tooLarge(job.dependencies.limits.outputBytes)
      return sum ?? null
    }
    const shown = await shownOutput(job, process, line.data)
    if (line.type === 'delta') {
      sumBytes += sendProgress(job, shown, { is_delta: true, seq: ++seq })
      // Above the limit the merged value could not be sent, so it is not built.
      if (sumBytes <= job.dependencies.limits.outputBytes) sum = mergeDelta(sum ?? {}, shown)
    } else {
      sendProgress(job, shown)
    }
  }
  throw new TaskFailure('the app ended its response without a result')
}

/** Returns the size of the value as JSON in bytes, which the limit counts. */
const sendProgress = (job: Job, value: unknown, extra: { is_delta?: true; seq?: number } = {}): number => {
  const output = encode(value, job.dependencies.limits.outputBytes)
  job.dependencies.send({
    type: 'task_progress',
    data: { task_id: job.task.id, attempt: job.attempt, output, ...extra },
  })
  return Buffer.byteLength(output, 'base64')
}

// A yielded output may contain files too. They are uploaded in place, because the function is still running.
const shownOutput = async (job: Job, process: AppProcess, value: unknown): Promise<unknown> => {
  if (!mayContainFiles(value)) return value
  const collected = await collectOutputFiles(value, process.folders, job.filesLeft)
  job.filesLeft -= collected.files.size
  return replaceOutputFiles(collected, job.dependencies.api.upload)
}

const storeFiles = async (job: Job, collected: CollectedOutput): Promise<unknown> => {
  const { task, dependencies } = job
  if (collected.files.size > 0)
    dependencies.send({ type: 'task_uploading', data: { task_id: task.id, attempt: job.attempt } })
  return mayContainFiles(collected.value) ? replaceOutputFiles(collected, dependencies.api.upload) : collected.value
}

const tooLarge = (limitBytes: number) => new TaskFailure(`the output is larger than ${limitBytes} bytes`)

const encode = (value: unknown, limitBytes: number): string => {
  const bytes = Buffer.from(JSON.stringify(value ?? null))
  if (bytes.length > limitBytes) throw tooLarge(limitBytes)
  return bytes.toString('base64')
}

const failureText = ({ control, dependencies, log, task }: Job, error: unknown): string => {
  if (control.reason() === 'timed_out')
    return `time limit of ${Math.round(dependencies.limits.taskMs / 1000)} s exceeded`
  if (control.reason() === 'engine_stopped') return 'the engine was stopped'
  if (!(error instanceof TaskFailure))
    dependencies.log('error', 'task failed inside the engine', { task: task.id, error: messageOf(error) })
  return log.redact(messageOf(error))
}

/** Node prints stack frames, fields of an uncaught error and its own version after the line with the message. */
const nodeTrailer = /^(?:\s+at |\s+\S+: |\}|Node\.js v\d|caused by )/
const shownFrames = 3

const shortened = (log: TaskLog, line: string): string => log.redact(line).slice(0, 300)

const addLine = (
  { log, lastLine }: Job,
  type: (typeof taskLogTypes)[keyof typeof taskLogTypes],
  line: string,
): void => {
  if (line.trim() !== '' && !nodeTrailer.test(line)) Object.assign(lastLine, { text: shortened(log, line), frames: 0 })
  else if (!/^\s+at /.test(line)) lastLine.frames = shownFrames
  else if (lastLine.frames < shownFrames) {
    lastLine.text += `\n${shortened(log, line)}`
    lastLine.frames += 1
  }
  log.add(type, line)
}

const metadataOf = ({ task, place }: Job): Metadata => ({
  worker_id: place.workerId,
  app_id: task.app_id,
  app_version_id: task.app_version_id,
  app_variant: task.app_variant ?? '',
  gpu_ids: [...place.gpuIds],
  task_id: task.id,
  team_id: task.team_id ?? '',
  user_id: task.user_id ?? '',
  ...(task.traceparent !== undefined && { traceparent: task.traceparent }),
})
