// The configuration of an engine, built from `engine.yml`, the environment and flags. Pure.

import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { WorkerConfig } from '@millrace/contract/engine-frames'
import { parseSelection, withSelection } from '@millrace/contract/gpu-selection'
import { checkSettings, type EngineYml, type RawSettings } from './engine-yml.ts'
import type { DiskLimits } from './machine/disk-watch.ts'
import type { RuntimeSetting } from './runtimes/choose.ts'

export type EngineConfig = {
  apiUrl: string
  apiKey: string
  teamId?: string
  name: string
  // Set before registration on a rented machine.
  engineId?: string
  workers: WorkerConfig
  cachePath: string
  runtime: RuntimeSetting
  // `auto`: cgroups enforce the limits of apps where the engine may create them.
  cgroups: 'auto' | 'off'
  network?: string
  // Container images by language. The default is the official image of the language on Docker Hub.
  images: { node?: string; python?: string }
  // `install`: installs the Debian packages in an app's packages.txt; `report`: reports the missing ones.
  systemPackages: 'install' | 'report'
  // Private hosts and networks that apps and downloads may reach; `*` for all.
  allowPrivateHosts: readonly string[]
  // Ports of Millrace's own services. Apps can never reach them on private addresses.
  ownPorts: readonly number[]
  memoryLimitBytes: number
  processLimit: number
  // Limit of an idle process that waits for its next task.
  idleMemoryLimitBytes?: number
  idleCpuShare: number
  diskLimits: DiskLimits
  // Limit of one bundle with its installed packages.
  packagesLimitBytes: number
  // Limit of all bundles, and separately of all input files.
  bundlesLimitBytes: number
  filesLimitBytes: number
  taskLimitMs: number
  logLimitBytes: number
  outputLimitBytes: number
  startTimeoutMs: number
  warmIdleMs: number
  cacheUnusedMs: number
  unloadMs: number
  drainLimitMs: number
  // The engine ends after the server has been unreachable for this long. Unset: it retries forever.
  serverGoneLimitMs?: number
  // Environment of installers and of the container program, and the base of every app's environment.
  hostEnv: Record<string, string>
  engineVersion: string
}

export type ConfigContext = { hostname: string; home: string; hostEnv: Record<string, string>; engineVersion: string }

export const readConfig = (raw: RawSettings, context: ConfigContext): EngineConfig => {
  const settings = checkSettings(raw)
  const text = (value: string | undefined, key: string) => (value ? { [key]: value } : {})
  const number = (value: number | string | undefined, fallback: number): number => Number(value ?? fallback)
  return Object.freeze<EngineConfig>({
    apiUrl: settings.api_url.replace(/\/+$/, ''),
    apiKey: settings.api_key,
    ...text(settings.team_id, 'teamId'),
    name: settings.name || context.hostname,
    ...text(settings.engine_id, 'engineId'),
    workers: withSelection(
      settings.workers ?? {},
      settings.gpus === undefined ? undefined : parseSelection(String(settings.gpus)),
    ),
    cachePath: settings.cache_path || join(context.home, '.millrace', 'engine'),
    runtime: settings.runtime ?? (settings.container_mode === true ? 'container' : 'auto'),
    cgroups: settings.cgroups ?? 'auto',
    ...text(settings.network_name, 'network'),
    images: { ...text(settings.node_image, 'node'), ...text(settings.python_image, 'python') },
    systemPackages: settings.system_packages ?? 'report',
    allowPrivateHosts: listOf(settings.allow_private_hosts),
    ownPorts: [...listOf(settings.own_ports).map(Number), portOf(settings.api_url)].filter((port) => port > 0),
    ...limitsOf(settings, number),
    taskLimitMs: number(settings.task_limit_seconds, 3600) * 1000,
    logLimitBytes: number(settings.log_limit_bytes, 1024 * 1024),
    outputLimitBytes: number(settings.output_limit_bytes, 16 * 1024 * 1024),
    startTimeoutMs: number(settings.start_timeout_seconds, 120) * 1000,
    warmIdleMs: number(settings.warm_idle_seconds, 900) * 1000,
    cacheUnusedMs: number(settings.cache_unused_days, 14) * 86_400_000,
    unloadMs: 5_000,
    drainLimitMs: number(settings.drain_limit_seconds, 30) * 1000,
    ...(settings.server_gone_limit_seconds !== undefined && {
      serverGoneLimitMs: Number(settings.server_gone_limit_seconds) * 1000,
    }),
    hostEnv: context.hostEnv,
    engineVersion: context.engineVersion,
  })
}

const limitsOf = (settings: EngineYml, number: (value: number | string | undefined, fallback: number) => number) => ({
  memoryLimitBytes: number(settings.memory_limit_mb, Math.floor((totalmem() * 0.8) / 1e6)) * 1e6,
  processLimit: number(settings.process_limit, 256),
  ...(settings.idle_memory_limit_mb !== undefined && {
    idleMemoryLimitBytes: Number(settings.idle_memory_limit_mb) * 1e6,
  }),
  idleCpuShare: number(settings.idle_cpu_percent, 10) / 100,
  diskLimits: {
    scratchBytes: number(settings.scratch_limit_mb, 4_000) * 1e6,
    persistentBytes: number(settings.storage_limit_mb, 50_000) * 1e6,
    files: number(settings.file_limit, 200_000),
    freeBytes: number(settings.free_disk_mb, 512) * 1e6,
  },
  packagesLimitBytes: number(settings.packages_limit_mb, 20_000) * 1e6,
  bundlesLimitBytes: number(settings.bundles_limit_mb, 60_000) * 1e6,
  filesLimitBytes: number(settings.files_limit_mb, 40_000) * 1e6,
})

// All idle processes together get a quarter of the machine's memory. The server decides how many there are.
export const idleMemoryShare = (workers: number): number =>
  Math.max(512, Math.floor(totalmem() / 4e6 / Math.max(1, workers))) * 1e6

const portOf = (address: string): number => {
  const url = URL.parse(address)
  return Number(url?.port) || (url?.protocol === 'https:' ? 443 : 80)
}

const listOf = (value: string | number | readonly (string | number)[] | undefined): string[] => {
  if (Array.isArray(value)) return value.map(String)
  return String(value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
