// Reads the schemas of an app without running it: copies the folder, prepares its environment and loads the class. Used
// when an app is deployed.

import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseKernel } from '@millrace/contract/inf-yml'
import type { AppSchema } from './app-process/app-schema.ts'
import { createLauncher } from './app-process/launcher.ts'
import { createEnvironments } from './environments/environments.ts'
import { TaskFailure } from './failures.ts'
import { createLimitWatch } from './machine/limit-watch.ts'
import { plainProcess } from './runtimes/plain-process.ts'

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)))
const leftOut = new Set(['.git', '.venv', 'venv', 'node_modules', '__pycache__'])

export type DiscoverOptions = {
  folder: string
  kernel: string | undefined
  env: Record<string, string>
  onLine?: (line: string) => void
  /** Output of npm and pip while packages are installed. */
  onInstallLine?: (line: string) => void
}

/** The schema, and whether packages were installed to read it; `handOver` can store those packages for an engine. */
export type Discovered = { schema: AppSchema; installed: boolean }

export const discoverSchema = async (options: DiscoverOptions): Promise<AppSchema> => {
  const work = await mkdtemp(join(tmpdir(), 'millrace-discover-'))
  try {
    return (await discoverIn(work, options)).schema
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Like `discover`, in a folder of the caller, which keeps the installed packages. */
export const discoverIn = async (root: string, options: DiscoverOptions): Promise<Discovered> => {
  const kernel = parseKernel(options.kernel)
  if (!kernel) throw new TaskFailure(`the kernel ${JSON.stringify(options.kernel)} is not known`)
  const stop = new AbortController()
  const onLine = options.onLine ?? (() => {})
  // The launcher removes the folders of an ended process by itself; the caller removes `root` afterwards.
  const released = Promise.withResolvers<void>()
  let inUse = Promise.resolve()
  try {
    const code = join(root, 'code')
    await mkdir(code)
    await cp(options.folder, code, {
      recursive: true,
      dereference: true,
      filter: (path) => !leftOut.has(basename(path)),
    })
    let installed = false
    const runtime = plainProcess({ limitWatch: createLimitWatch() })
    const limits = { memoryBytes: 4e9, processes: 256, idleMemoryBytes: 4e9, idleCpuShare: 1 }
    const diskLimits = { scratchBytes: 20e9, persistentBytes: 20e9, files: 200_000, freeBytes: 0 }
    const environments = createEnvironments(
      {
        env: options.env,
        runtime,
        limits,
        diskLimits,
        scratchRoot: root,
        installsSystemPackages: false,
        providedFrom: packageFolder,
      },
      stop.signal,
    )
    const launcher = createLauncher({
      root,
      runnerFolder: join(packageFolder, 'runner'),
      runtime,
      // The folder belongs to the caller, so no cache removes it.
      bundles: {
        lock: async () => {
          inUse = released.promise
          return released.resolve
        },
        get: async () => code,
        settled: () => {},
      },
      environments: {
        prepare: async (request) => {
          const prepared = await environments.prepare(request)
          installed = prepared.installed === true
          return prepared
        },
      },
      limits,
      diskLimits,
      outputLimitBytes: 16 * 1024 * 1024,
      startTimeoutMs: 120_000,
      baseEnv: options.env.PATH === undefined ? {} : { PATH: options.env.PATH },
      engineMark: {},
    })
    const process = await launcher.launch({
      bundle: { repository: '', versionId: '' },
      kernel,
      appId: 'discover',
      teamId: 'discover',
      env: {},
      gpuIds: [],
      onBuildLine: options.onInstallLine ?? onLine,
      onServeLine: onLine,
      onServing: () => {},
      signal: stop.signal,
    })
    await process.kill()
    return { schema: process.schema, installed }
  } finally {
    stop.abort()
    await inUse
  }
}
