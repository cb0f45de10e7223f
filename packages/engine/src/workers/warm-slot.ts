// The one app process of a worker. It is reused for the same workspace when version, setup, environment and secrets are
// equal, or when it belongs to the task's session. Otherwise it is unloaded and replaced.

import { createHash } from 'node:crypto'
import { opendirSync } from 'node:fs'
import type { RunnableTask } from '@millrace/contract/engine-frames'
import { parseKernel } from '@millrace/contract/inf-yml'
import { canonicalJson, warmKey } from '@millrace/contract/warm-key'
import { type AppProcess, explainBreak, type Metadata } from '../app-process/app-process.ts'
import type { Launcher } from '../app-process/launcher.ts'
import { TaskFailure } from '../failures.ts'
import { emptyFolder } from '../files/safe-open.ts'
import type { GpuMemory, GpuReservation } from '../machine/gpu-memory.ts'

export type ProcessRequest = {
  task: RunnableTask
  env: Record<string, string>
  metadata: Metadata
  onPhase: (phase: 'preparing' | 'serving' | 'setting_up') => void
  onLine: (phase: 'build' | 'serve' | 'setup' | 'task', line: string) => void
  signal: AbortSignal
}

export type WarmSlot = {
  obtain: (request: ProcessRequest) => Promise<AppProcess>
  // After a run: empties the temporary folder, and unloads an idle process after a while. Only the next `obtain` waits
  // for it.
  endRun: () => void
  /** Whether the process fits the task, or belongs to its session. */
  serves: (task: RunnableTask, env: Record<string, string>) => boolean
  endSession: (sessionId: string) => Promise<void>
  empty: () => Promise<void>
  state: () => SlotState
}

export type SlotState = {
  isEmpty: boolean
  appId: string
  versionId: string
  sessionId?: string
  warmApps: string[]
  /** Measured, of all processes. */
  gpuBytes: number
  /** The largest measured memory of the current run. */
  gpuPeakBytes?: number
}

export type WarmSlotOptions = {
  gpuIds: readonly string[]
  /** The memory of the worker's GPUs. `wholeBytes` is what an app gets that declares nothing. */
  gpu?: { memory: GpuMemory; wholeBytes: number } | undefined
  /** Sessions whose process has ended; several slots of one worker share them. */
  lostSessions?: Set<string>
  launcher: Launcher
  idleMs: number
  unloadMs: number
}

type CurrentProcess = {
  process: AppProcess
  reservation: GpuReservation | undefined
  teamId: string
  appId: string
  versionId: string
  fingerprint: string
  setupText: string
  key: string
  sessionId?: string
  sessionIdleMs: number
}

const defaultSessionSeconds = 60
// The server ends sessions; the engine does so itself after this delay, in case the frame was lost.
const sessionGraceMs = 60_000
const rememberedLosses = 100

export const createWarmSlot = (options: WarmSlotOptions): WarmSlot => {
  let current: CurrentProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let cleanup: Promise<void> = Promise.resolve()
  const { lostSessions = new Set<string>() } = options
  let lastReservation: GpuReservation | undefined

  const forget = (gone: CurrentProcess) => {
    if (current !== gone) return
    current = undefined
    if (gone.sessionId === undefined) return
    lostSessions.add(gone.sessionId)
    const oldest = lostSessions.size > rememberedLosses ? lostSessions.values().next().value : undefined
    if (oldest !== undefined) lostSessions.delete(oldest)
  }

  const empty = async () => {
    const old = current
    current = undefined
    if (old?.process.alive()) await old.process.unload(options.unloadMs)
  }

  const launch = async (request: ProcessRequest): Promise<CurrentProcess> => {
    const { task } = request
    const kernel = parseKernel(task.kernel)
    if (!kernel) throw new TaskFailure(`the kernel ${JSON.stringify(task.kernel)} is not known`)
    request.onPhase('preparing')
    const reservation = await reserveGpu(options, request)
    lastReservation = reservation
    const process = await options.launcher
      .launch({
        bundle: {
          repository: task.repository,
          versionId: task.app_version_id,
          ...(task.checksum && { checksum: task.checksum }),
        },
        kernel,
        appId: task.app_id,
        teamId: task.team_id ?? '',
        env: request.env,
        gpuIds: options.gpuIds,
        gpuReservation: reservation,
        onBuildLine: (line) => request.onLine('build', line),
        onServeLine: (line) => request.onLine('serve', line),
        onServing: () => request.onPhase('serving'),
        signal: request.signal,
      })
      .catch((error: unknown) => {
        reservation?.release()
        throw error
      })
    const made = describe(task, request.env, process, reservation)
    current = made
    void process.exited.then(() => {
      reservation?.release()
      forget(made)
    })
    return made
  }

  const setUp = async (made: CurrentProcess, request: ProcessRequest): Promise<void> => {
    request.onPhase('setting_up')
    made.process.logTo((line) => request.onLine('setup', line))
    const stop = () => void made.process.kill()
    const workEnded = made.process.work()
    request.signal.addEventListener('abort', stop, { once: true })
    try {
      await made.process.setup(request.task.setup ?? {}, request.metadata)
      await made.process.logsEnded('setup')
    } catch (error) {
      const reason = await explainBreak(made.process, error)
      current = undefined
      await made.process.kill()
      throw reason
    } finally {
      request.signal.removeEventListener('abort', stop)
      workEnded()
    }
  }

  return {
    obtain: async (request) => {
      clearTimeout(idle)
      const { task } = request
      // Only a reused process must wait for its folders to be empty: a new one has its own folders.
      if (current && fits(current, task, request.env)) await cleanup
      if (current && !current.process.alive()) forget(current)
      if (current && fits(current, task, request.env)) {
        bindSession(current, task)
        current.reservation?.begin((message) => request.onLine('task', message))
        lastReservation = current.reservation
        return current.process
      }
      if (task.session_id && lostSessions.has(task.session_id)) {
        throw new TaskFailure('worker_lost: the process of this session has ended, and its state is lost')
      }
      await empty()
      const made = await launch(request)
      await setUp(made, request)
      bindSession(made, task)
      return made.process
    },
    serves: (task, env) => current !== undefined && fits(current, task, env),
    endRun: () => {
      if (!current) return
      current.reservation?.endRun(current.sessionId === undefined ? empty : undefined)
      current.process.logTo(undefined)
      const { tmp, files } = current.process.folders.host
      // Deferred, so that the final frames of the run are sent first.
      cleanup = new Promise((resolve) => setImmediate(resolve))
        .then(() => Promise.all([tmp, files].map(emptyUsedFolder)))
        .then(() => {})
      const waitMs = current.sessionId === undefined ? options.idleMs : current.sessionIdleMs + sessionGraceMs
      idle = setTimeout(() => void empty(), waitMs).unref()
    },
    endSession: async (sessionId) => {
      lostSessions.delete(sessionId)
      if (current?.sessionId === sessionId) await empty()
    },
    empty,
    state: () => ({
      isEmpty: current === undefined,
      gpuBytes: current?.reservation?.measuredBytes() ?? 0,
      ...(lastReservation?.peakBytes() !== undefined && { gpuPeakBytes: lastReservation.peakBytes() }),
      appId: current?.appId ?? '',
      versionId: current?.versionId ?? '',
      ...(current?.sessionId !== undefined && { sessionId: current.sessionId }),
      warmApps: current && current.sessionId === undefined ? [current.key] : [],
    }),
  }
}

const reserveGpu = async (
  { gpu, gpuIds }: WarmSlotOptions,
  request: ProcessRequest,
): Promise<GpuReservation | undefined> => {
  if (!gpu) return undefined
  const reservation = await gpu.memory.reserve({
    gpuIds,
    bytes: Math.min(request.task.gpu_vram || gpu.wholeBytes, gpu.wholeBytes),
    signal: request.signal,
    onWait: (message) => request.onLine('build', message),
  })
  reservation.begin((message) => request.onLine('task', message))
  return reservation
}

const describe = (
  task: RunnableTask,
  env: Record<string, string>,
  process: AppProcess,
  reservation: GpuReservation | undefined,
): CurrentProcess => ({
  process,
  reservation,
  teamId: task.team_id ?? '',
  appId: task.app_id,
  versionId: task.app_version_id,
  fingerprint: fingerprintOf(task, env),
  setupText: canonicalJson(task.setup ?? {}),
  key: warmKey({ teamId: task.team_id, appId: task.app_id, versionId: task.app_version_id, setup: task.setup }),
  sessionIdleMs: defaultSessionSeconds * 1000,
})

// Secrets are part of the environment, so a changed secret changes the fingerprint. Only a hash is stored.
const fingerprintOf = (task: RunnableTask, env: Record<string, string>): string =>
  createHash('sha256')
    .update(
      canonicalJson([
        ...[task.team_id ?? '', task.app_id, task.app_version_id, task.checksum ?? '', task.app_variant ?? ''],
        ...[task.setup ?? {}, env],
      ]),
    )
    .digest('hex')

// A session keeps its process, and so the secrets it started with; only another setup needs a new one.
const fits = (current: CurrentProcess, task: RunnableTask, env: Record<string, string>): boolean => {
  if (!current.process.alive() || current.teamId !== (task.team_id ?? '')) return false
  const session = task.session_id ?? undefined
  if (current.sessionId !== undefined) {
    return (
      current.sessionId === session &&
      current.versionId === task.app_version_id &&
      current.setupText === canonicalJson(task.setup ?? {})
    )
  }
  return current.fingerprint === fingerprintOf(task, env)
}

const bindSession = (current: CurrentProcess, task: RunnableTask): void => {
  if (!task.session_id) return
  current.sessionId = task.session_id
  if (task.session_timeout) current.sessionIdleMs = task.session_timeout * 1000
}

// Most runs leave nothing behind, and a synchronous check is cheaper than the thread pool. A failed removal is retried
// after the next run of the same process.
const emptyUsedFolder = async (folder: string): Promise<void> => {
  if (hasEntries(folder)) await emptyFolder(folder)
}

// Reads a single entry, so that a folder with a million of them takes no longer.
const hasEntries = (folder: string): boolean => {
  try {
    const opened = opendirSync(folder, { bufferSize: 1 })
    try {
      return opened.readSync() !== null
    } finally {
      opened.closeSync()
    }
  } catch {
    return false
  }
}
