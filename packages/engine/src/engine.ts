// The engine as a whole: registers, opens the connection, dispatches frames to the workers, and ends. This file shows
// start and stop from top to bottom.

import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RegisteredWorker } from '@millrace/contract/engine-frames'
import { missingCard, offerInWords } from '@millrace/contract/gpu-selection'
import { createApi } from './api.ts'
import { createLauncher } from './app-process/launcher.ts'
import { createBundleCache } from './bundles/bundle-cache.ts'
import { type EngineConfig, idleMemoryShare } from './config.ts'
import { createEnvironments } from './environments/environments.ts'
import { indexHosts } from './environments/installer-settings.ts'
import { createInputFiles } from './files/input-files.ts'
import { handleFrame, heartbeatFrame } from './frames.ts'
import { appEnvironment, boundCaches, createCaches, killOrphans, prepareFolders } from './host-setup.ts'
import { createLifecycle, type EngineEnd } from './lifecycle.ts'
import { type Link, type LinkTimes, linkTimes, openLink } from './link/link.ts'
import type { Log } from './log.ts'
import { findControlGroups } from './machine/control-groups.ts'
import { createGpuMemory } from './machine/gpu-memory.ts'
import { createGpuReader } from './machine/gpus.ts'
import { createLimitWatch } from './machine/limit-watch.ts'
import { processMarks } from './machine/process-mark.ts'
import { createSystemReader } from './machine/system-info.ts'
import { addressPolicy } from './outbound/address-policy.ts'
import { createDownloader } from './outbound/download.ts'
import { createEgress } from './outbound/egress.ts'
import { register } from './registration.ts'
import { chooseRuntime } from './runtimes/choose.ts'
import { loadState, saveState } from './state-file.ts'
import { cardsOf, createPool, maxProcesses } from './workers/pool.ts'

const packageFolder = dirname(dirname(fileURLToPath(import.meta.url)))
const runnerFolder = join(packageFolder, 'runner')
// The real path of provided packages: the links in a bundle point there, so a sandbox must mount it.
const providedFolder = join(packageFolder, '..', '..', 'node_modules')

const maxPackageFiles = 1_000_000

export type Engine = {
  engineId: string
  // Resolves with the reason when the engine has ended.
  finished: Promise<EngineEnd>
  connected: () => boolean
  // Finishes running tasks, accepts no new ones, then ends.
  drain: () => void
  // Ends immediately; running tasks fail.
  stop: () => Promise<void>
}

export type { EngineEnd }
export type EngineOptions = { log: Log; times?: LinkTimes; signal?: AbortSignal }

export const startEngine = async (config: EngineConfig, options: EngineOptions): Promise<Engine> => {
  const { log } = options
  await prepareFolders(config.cachePath)
  const statePath = join(config.cachePath, 'engine.json')
  const remembered = await loadState(statePath)
  const state = { ...remembered, ...(config.engineId && { engineId: config.engineId }) }
  const api = createApi(config)
  const limitWatch = createLimitWatch()
  const marks = processMarks(config.cachePath)
  const groups = config.cgroups === 'auto' && config.runtime !== 'container' ? findControlGroups(log) : undefined
  // The server sends its public URL in its first response.
  const server = { apiUrl: config.apiUrl, baseUrl: config.apiUrl }
  const runtime = chooseRuntime({
    setting: config.runtime,
    limitWatch,
    groups,
    marks,
    readOnly: [packageFolder, providedFolder],
    hostEnv: config.hostEnv,
    ...(config.network && { network: config.network }),
    images: config.images,
    egress: createEgress({
      server: () => server,
      allowPrivateHosts: config.allowPrivateHosts,
      indexHosts: indexHosts(config.hostEnv),
      ownPorts: config.ownPorts,
      hostEnv: config.hostEnv,
      wrapper: [process.execPath, join(runnerFolder, 'node', 'forward.mjs'), '--'],
    }),
  })
  if (config.runtime === 'auto' && runtime.name === 'process')
    log('warn', 'bubblewrap is not available: apps run as plain processes, which do not isolate untrusted apps')
  const gpus = createGpuReader(config.hostEnv)
  const readSystem = createSystemReader({
    version: config.engineVersion,
    root: config.cachePath,
    runtime: runtime.name,
    cgroups: groups?.found ?? 'off',
    env: config.hostEnv,
    gpus,
  })
  const found = await gpus.gpus()
  const missing = missingCard(config.workers, found)
  if (missing !== undefined) throw new Error(missing)

  const registered = await register({
    config,
    state,
    api,
    readSystem,
    log,
    signal: registrationSignal(config, options),
  })
  await saveState(statePath, { ...state, engineId: registered.engine_id })
  const engineMark = { MILLRACE_ENGINE: registered.engine_id }
  killOrphans(registered.engine_id, marks, log)
  await groups?.claim(registered.engine_id)
  log('info', `registered: ${offerInWords(found, countWorkers(registered.workers))}`, {
    ...{ engine: registered.engine_id, workers: registered.workers.length },
    ...{ runtime: runtime.name, cgroups: groups?.found ?? 'off' },
  })

  server.baseUrl = registered.base_url ?? config.apiUrl
  const ownServer = config.serverGoneLimitMs !== undefined
  const stopping = new AbortController()
  const downloader = createDownloader({ server, policy: addressPolicy(config.allowPrivateHosts, config.ownPorts) })
  const caches = createCaches(config, log)
  const limits = {
    memoryBytes: config.memoryLimitBytes,
    processes: config.processLimit,
    idleMemoryBytes: config.idleMemoryLimitBytes ?? idleMemoryShare(maxProcesses(registered.workers)),
    idleCpuShare: config.idleCpuShare,
  }
  const launcher = createLauncher({
    root: config.cachePath,
    runnerFolder,
    runtime,
    bundles: createBundleCache(caches.bundles, downloader),
    environments: createEnvironments(
      {
        env: config.hostEnv,
        runtime,
        limits,
        diskLimits: {
          ...config.diskLimits,
          scratchBytes: config.packagesLimitBytes,
          persistentBytes: 0,
          files: maxPackageFiles,
        },
        scratchRoot: join(config.cachePath, 'tmp'),
        installsSystemPackages: config.systemPackages === 'install',
        providedFrom: packageFolder,
      },
      stopping.signal,
    ),
    limits,
    diskLimits: config.diskLimits,
    outputLimitBytes: config.outputLimitBytes,
    startTimeoutMs: config.startTimeoutMs,
    baseEnv: appEnvironment(config),
    engineMark,
  })

  const gpuMemory = createGpuMemory({ cards: cardsOf(registered.workers), reader: gpus })
  const pool = createPool({
    workers: registered.workers,
    launcher,
    dependencies: {
      send: (frame) => link.sendTask(frame),
      server,
      keys: state.keys,
      api,
      inputFiles: createInputFiles(caches.files, downloader),
      limits: { taskMs: config.taskLimitMs, logBytes: config.logLimitBytes, outputBytes: config.outputLimitBytes },
      log,
    },
    terminalOf: (taskId) => link.terminalOf(taskId),
    idleMs: config.warmIdleMs,
    unloadMs: config.unloadMs,
    gpuMemory,
  })

  const sweeping = boundCaches(config, [caches.bundles, caches.files])
  const close = async () => {
    clearInterval(sweeping)
    gpuMemory.close()
    await downloader.close()
  }
  const lifecycle = createLifecycle({ pool, link: () => link, api, log, close, stopping })
  const link: Link = openLink({
    url: `${config.apiUrl.replace(/^http/, 'ws')}/ws/engines/${registered.engine_id}`,
    headers: { authorization: `Bearer ${config.apiKey}`, ...(config.teamId && { 'x-team-id': config.teamId }) },
    log,
    times: { ...(options.times ?? linkTimes), ...(ownServer && { redialMs: ownServerRedialMs }) },
    heartbeat: () => heartbeatFrame(registered.engine_id, lifecycle.status(), pool),
    telemetry: async () => {
      await gpuMemory.measure()
      return {
        type: 'engine_telemetry',
        data: {
          engine_id: registered.engine_id,
          status: lifecycle.status(),
          engine_version: config.engineVersion,
          system_info: {
            ...(await readSystem()),
            caches: Object.entries(caches).map(([name, cache]) => ({ name, ...cache.figures() })),
          },
          workers: pool.telemetry(),
        },
      }
    },
    onFrame: (frame) => handleFrame(frame, { pool, lifecycle, root: config.cachePath, log }),
    onRefused: lifecycle.refused,
  })

  const stopWaiting = waitForServer(config.serverGoneLimitMs, link.connected, lifecycle.abandoned)
  void lifecycle.finished.then(stopWaiting)

  return {
    engineId: registered.engine_id,
    finished: lifecycle.finished,
    connected: link.connected,
    drain: () => lifecycle.drain({ reason: 'drained' }),
    stop: lifecycle.stop,
  }
}

const countWorkers = (workers: readonly RegisteredWorker[]): { gpu: number; cpu: number } => {
  const gpu = workers.filter(({ gpus = [] }) => gpus.length > 0).length
  return { gpu, cpu: workers.length - gpu }
}

// --- An engine that belongs to one server ---------------------------------------------------------------------------

// This engine is the only client of its own server, and tasks are waiting for it.
const ownServerRedialMs = 500

const registrationSignal = (
  { serverGoneLimitMs }: EngineConfig,
  { signal }: EngineOptions,
): AbortSignal | undefined => {
  if (serverGoneLimitMs === undefined) return signal
  const limit = AbortSignal.timeout(serverGoneLimitMs)
  return signal ? AbortSignal.any([signal, limit]) : limit
}

// Checks several times within the limit, so that one short interruption does not count as a long one.
const waitForServer = (limitMs: number | undefined, connected: () => boolean, onGone: () => void): (() => void) => {
  if (limitMs === undefined) return () => {}
  let lastSeenMs = Date.now()
  const timer = setInterval(() => {
    if (connected()) lastSeenMs = Date.now()
    else if (Date.now() - lastSeenMs > limitMs) onGone()
  }, limitMs / 10)
  return () => clearInterval(timer)
}
