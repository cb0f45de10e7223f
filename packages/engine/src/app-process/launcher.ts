// Starts an app version as a process: bundle, environment, folders, command line, and the first handshake.

import { createHash, randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { newId } from '@millrace/contract/ids'
import type { Kernel } from '@millrace/contract/inf-yml'
import type { BundleCache, BundleRef } from '../bundles/bundle-cache.ts'
import { environmentFolder, type Prepared } from '../environments/environment.ts'
import type { Environments } from '../environments/environments.ts'
import { TaskFailure } from '../failures.ts'
import { removeFolder } from '../files/safe-open.ts'
import { markUsed } from '../machine/cache-sweep.ts'
import { type DiskLimits, watchDisk } from '../machine/disk-watch.ts'
import type { GpuReservation } from '../machine/gpu-memory.ts'
import type { AppFolders, ProcessLimits, RunningProcess, Runtime } from '../runtimes/runtime.ts'
import { type AppProcess, connectAppProcess, describeExit } from './app-process.ts'
import { copyCode } from './code-copy.ts'

export type LaunchRequest = {
  bundle: BundleRef
  kernel: Kernel
  appId: string
  // The workspace of the run; an app keeps no state across workspaces.
  teamId: string
  env: Record<string, string>
  gpuIds: readonly string[]
  /** The memory that the process may use on its GPUs; released when the process has ended. */
  gpuReservation?: GpuReservation | undefined
  onBuildLine: (line: string) => void
  onServeLine: (line: string) => void
  onServing: () => void
  signal: AbortSignal
}

export type Launcher = { launch: (request: LaunchRequest) => Promise<AppProcess> }

export type LauncherOptions = {
  root: string
  runnerFolder: string
  runtime: Runtime
  bundles: BundleCache
  environments: Environments
  limits: ProcessLimits
  diskLimits: DiskLimits
  outputLimitBytes: number
  startTimeoutMs: number
  // Variables of every app in addition to its own settings: PATH, language, proxies, policy.
  baseEnv: Record<string, string>
  engineMark: Record<string, string>
}

export const createLauncher = (options: LauncherOptions): Launcher => ({
  launch: async (request) => {
    const release = await options.bundles.lock(request.bundle)
    const using: Promise<unknown>[] = []
    const use = <T>(work: Promise<T>): Promise<T> => {
      using.push(work)
      return work
    }
    try {
      const { bundle, prepared } = await prepare(options, request, use)
      request.onServing()
      return await start(options, request, { bundle, prepared, use })
    } finally {
      // Includes work that continues after a cancelled task, and the process until its folders are removed.
      void Promise.allSettled(using).then(release)
    }
  },
})

type Use = <T>(work: Promise<T>) => Promise<T>

const prepare = async ({ bundles, environments }: LauncherOptions, request: LaunchRequest, use: Use) => {
  const bundle = await untilAborted(use(bundles.get(request.bundle)), request.signal)
  const environment = environments.prepare({ bundle, kernel: request.kernel, onLine: request.onBuildLine })
  void environment.then(
    () => bundles.settled(request.bundle, 'ready'),
    () => bundles.settled(request.bundle, 'failed'),
  )
  return { bundle, prepared: await untilAborted(use(environment), request.signal) }
}

const start = async (
  options: LauncherOptions,
  request: LaunchRequest,
  { bundle, prepared, use }: { bundle: string; prepared: Prepared; use: Use },
): Promise<AppProcess> => {
  const token = randomBytes(24).toString('base64url')
  const { running, folders, removed } = await startProcess(options, request, bundle, prepared, token)
  void use(removed)
  const stop = () => void running.kill()
  request.signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(stop, options.startTimeoutMs)
  const workEnded = running.work()
  try {
    const made = await connectAppProcess({
      running,
      token,
      host: folders,
      outputLimitBytes: options.outputLimitBytes,
      onLine: request.onServeLine,
    })
    request.signal.throwIfAborted()
    return made
  } catch (error) {
    await running.kill()
    request.signal.throwIfAborted()
    if (error instanceof TaskFailure) throw withMissing(error, prepared.missing)
    throw new TaskFailure(`the app process ended before it was ready (${describeExit(await running.exited)})`)
  } finally {
    clearTimeout(timer)
    workEnded()
    request.signal.removeEventListener('abort', stop)
  }
}

const startProcess = async (
  options: LauncherOptions,
  request: LaunchRequest,
  bundle: string,
  prepared: Prepared,
  token: string,
): Promise<{ running: RunningProcess; folders: AppFolders; removed: Promise<unknown> }> => {
  const processId = newId()
  const folders = await createFolders(options.root, bundle, request, processId)
  await copyCode(bundle, folders.code, options.runtime.inside(folders).bundle)
  const running = await options.runtime.start({
    processId,
    purpose: 'app',
    kernel: request.kernel,
    folders,
    command: (inside) => commandFor(options, request.kernel, insidePath(prepared.interpreter, folders, inside), inside),
    env: (inside) => environmentFor(options, request, inside, token),
    limits: options.limits,
    gpuIds: request.gpuIds,
    readOnly: prepared.readOnly,
  })
  const removed = running.exited.then(() => Promise.all([folders.code, folders.tmp, folders.files].map(removeFolder)))
  const limited = withDiskLimits(running, folders, options.diskLimits)
  return { running: withGpuLimits(limited, request.gpuReservation), folders, removed }
}

// The engine measures disk use for every runtime, because the kernel does not count it per process.
const withDiskLimits = (running: RunningProcess, folders: AppFolders, limits: DiskLimits): RunningProcess => {
  let overLimit: string | undefined
  const watched = {
    scratch: [folders.code, folders.tmp],
    persistent: [folders.data, folders.cache],
    unlinkedBytes: running.unlinkedBytes,
  }
  const disk = watchDisk(watched, limits, (what) => {
    overLimit = what
    void running.kill()
  })
  return {
    ...running,
    exited: running.exited.then((exit) => {
      disk.end()
      return overLimit === undefined ? exit : { ...exit, overLimit }
    }),
    work: () => {
      const ends = [running.work(), disk.work()]
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

const withGpuLimits = (running: RunningProcess, reservation: GpuReservation | undefined): RunningProcess => {
  if (!reservation) return running
  let overLimit: string | undefined
  reservation.attach({
    pids: running.pids,
    end: (reason) => {
      overLimit = reason
      void running.kill()
    },
  })
  return {
    ...running,
    exited: running.exited.then((exit) => (overLimit === undefined ? exit : { ...exit, overLimit })),
  }
}

// A missing system package is a likely reason for an app that does not start.
const withMissing = (failure: TaskFailure, missing: readonly string[] = []): TaskFailure =>
  missing.length === 0
    ? failure
    : new TaskFailure(`${failure.message}\npackages.txt lists ${missing.join(', ')}, which this machine does not have`)

// A cancelled task stops waiting; its download or installation continues for the next task.
const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })

// `data` and `cache` belong to the app in one workspace and persist; `code`, `tmp` and `files` belong to this process
// and are removed with it. The last two are also emptied between runs.
const createFolders = async (
  root: string,
  bundle: string,
  { appId, teamId }: LaunchRequest,
  processId: string,
): Promise<AppFolders> => {
  const own = join(root, 'apps', folderName(appId), folderName(teamId))
  const folders = {
    bundle,
    code: join(root, 'copies', processId),
    environment: environmentFolder(bundle),
    files: join(root, 'inputs', processId),
    data: join(own, 'data'),
    cache: join(own, 'cache'),
    tmp: join(root, 'tmp', processId),
  }
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true })
  await markUsed(own)
  return folders
}

// Maps an id to a folder name that cannot contain a path separator.
const folderName = (id: string): string =>
  /^[\w-]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')

// Translates a path in the app's folder to its path inside the sandbox.
const insidePath = (path: string, host: AppFolders, inside: AppFolders): string =>
  path.startsWith(host.environment + sep) ? join(inside.environment, relative(host.environment, path)) : path

const commandFor = (options: LauncherOptions, kernel: Kernel, interpreter: string, inside: AppFolders): string[] => {
  const program = options.runtime.interpreter(kernel.language, interpreter)
  const runner = join(options.runnerFolder, kernel.language === 'node' ? 'node/main.mjs' : 'python/main.py')
  const heapMb = Math.max(64, Math.floor(options.limits.memoryBytes / 1e6))
  const flags = kernel.language === 'node' ? [`--max-old-space-size=${heapMb}`] : ['-u']
  return [program, ...flags, runner, inside.code]
}

const environmentFor = (options: LauncherOptions, request: LaunchRequest, inside: AppFolders, token: string) => ({
  ...options.baseEnv,
  ...request.env,
  HOME: inside.data,
  TMPDIR: inside.tmp,
  FILE_CACHE_DIR: join(inside.cache, 'files'),
  MILLRACE_DATA_DIR: inside.data,
  MILLRACE_TMP_DIR: inside.tmp,
  MILLRACE_CACHE_DIR: inside.cache,
  MILLRACE_FILES_DIR: inside.files,
  MILLRACE_SCRATCH_DIRS: options.runtime.scratch.join(':'),
  // A sandboxed app has a private model cache: in a shared folder, one app could replace the models of another.
  ...(options.runtime.name !== 'process' && { HF_HOME: join(inside.cache, 'huggingface') }),
  MILLRACE_RUNNER_TOKEN: token,
  MILLRACE_RUNNER_LISTEN: options.runtime.listenOn,
  ...gpuVariables(request.gpuIds),
  ...options.engineMark,
})

// Without a GPU, the cards of the machine are hidden. The ids of NVIDIA contain dashes, those of AMD do not; HIP also
// reads CUDA_VISIBLE_DEVICES, where it expects numbers.
const gpuVariables = (ids: readonly string[]): Record<string, string> => {
  const visible = ids.join(',')
  const isAmd = ids.length > 0 && ids.every((id) => /^(GPU-[\da-f]+|\d+)$/i.test(id))
  return isAmd ? { ROCR_VISIBLE_DEVICES: visible } : { CUDA_VISIBLE_DEVICES: visible }
}
