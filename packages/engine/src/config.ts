// The engine's settings: `engine.yml`, then the environment, then flags, each overriding the one before. All
// violations are reported at once. Pure: texts come in, a frozen config or a list of complaints goes out.

import { totalmem } from 'node:os'
import { join } from 'node:path'
import { WorkerConfig } from '@millrace/contract/engine-frames'
import { Compile } from 'typebox/compile'
import type { DiskLimits } from './machine/disk-watch.ts'
import { type RuntimeSetting, runtimeSettings } from './runtimes/choose.ts'

export type EngineConfig = {
  apiUrl: string
  apiKey: string
  teamId?: string
  name: string
  // Who it is, where that was decided before it registers: a rented machine is told.
  engineId?: string
  workers: WorkerConfig
  cachePath: string
  runtime: RuntimeSetting
  // `auto`: the kernel holds apps to their limits where it lets the engine ask for it.
  cgroups: 'auto' | 'off'
  network?: string
  // Images that containers are made of, by language; without one, those of Docker's own library.
  images: { node?: string; python?: string }
  // `install`: Debian packages named by an app's packages.txt are installed; `report`: they are named as missing.
  systemPackages: 'install' | 'report'
  // Private hosts and networks that apps and downloads may reach; `*` for all.
  allowPrivateHosts: readonly string[]
  // Ports of Millrace's own services, closed to apps on private addresses whatever is allowed.
  ownPorts: readonly number[]
  memoryLimitBytes: number
  processLimit: number
  // Of a process that waits for its next task.
  idleMemoryLimitBytes?: number
  idleCpuShare: number
  diskLimits: DiskLimits
  // Of one bundle with all that is installed for it.
  packagesLimitBytes: number
  // Of all bundles together, and of all files that tasks were given.
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
  // How long the server may be gone before the engine ends; unset: it keeps trying for ever.
  serverGoneLimitMs?: number
  // Environment of installers and of the container program, and the base of every app's environment.
  hostEnv: Record<string, string>
  engineVersion: string
}

export type RawSettings = Record<string, unknown>

const checkWorkers = Compile(WorkerConfig)

export type ConfigContext = { hostname: string; home: string; hostEnv: Record<string, string>; engineVersion: string }

export const readConfig = (raw: RawSettings, context: ConfigContext): EngineConfig => {
  const complaints: string[] = []
  const complain = (text: string) => void complaints.push(text)
  const text = (key: string, fallback?: string): string => {
    const value = raw[key] ?? fallback
    if (typeof value === 'string' && value !== '') return value
    complain(`${key} is required`)
    return ''
  }
  const number = (key: string, fallback: number): number => {
    const value = Number(raw[key] ?? fallback)
    if (Number.isFinite(value) && value > 0) return value
    complain(`${key} must be a positive number`)
    return fallback
  }

  const apiUrl = text('api_url')
  if (apiUrl !== '' && !/^https?:$/.test(URL.parse(apiUrl)?.protocol ?? ''))
    complain('api_url must be an http or https address')
  const workers = raw.workers ?? {}
  if (!checkWorkers.Check(workers)) complain('workers must look like {cpu: {count: 2}, gpu: [{gpus: [0]}]}')
  const runtime = runtimeSettings.find(
    (name) => name === (raw.runtime ?? (raw.container_mode === true ? 'container' : 'auto')),
  )
  if (!runtime) complain(`runtime must be one of ${runtimeSettings.join(', ')}`)
  const cgroups = (['auto', 'off'] as const).find((name) => name === (raw.cgroups ?? 'auto'))
  if (!cgroups) complain('cgroups must be auto or off')

  const config: EngineConfig = {
    apiUrl: apiUrl.replace(/\/+$/, ''),
    apiKey: text('api_key'),
    ...(typeof raw.team_id === 'string' && raw.team_id !== '' && { teamId: raw.team_id }),
    name: text('name', context.hostname),
    ...(typeof raw.engine_id === 'string' && raw.engine_id !== '' && { engineId: raw.engine_id }),
    workers: checkWorkers.Check(workers) ? workers : {},
    cachePath: text('cache_path', join(context.home, '.millrace', 'engine')),
    runtime: runtime ?? 'process',
    cgroups: cgroups ?? 'off',
    ...(typeof raw.network_name === 'string' && raw.network_name !== '' && { network: raw.network_name }),
    images: {
      ...(typeof raw.node_image === 'string' && raw.node_image !== '' && { node: raw.node_image }),
      ...(typeof raw.python_image === 'string' && raw.python_image !== '' && { python: raw.python_image }),
    },
    systemPackages: raw.system_packages === 'install' ? 'install' : 'report',
    allowPrivateHosts: listOf(raw.allow_private_hosts),
    ownPorts: [...listOf(raw.own_ports).map(Number), portOf(apiUrl)].filter((port) => port > 0),
    memoryLimitBytes: number('memory_limit_mb', Math.floor((totalmem() * 0.8) / 1e6)) * 1e6,
    processLimit: number('process_limit', 256),
    ...(raw.idle_memory_limit_mb !== undefined && {
      idleMemoryLimitBytes: number('idle_memory_limit_mb', 0) * 1e6,
    }),
    idleCpuShare: number('idle_cpu_percent', 10) / 100,
    diskLimits: {
      scratchBytes: number('scratch_limit_mb', 4_000) * 1e6,
      keptBytes: number('storage_limit_mb', 50_000) * 1e6,
      files: number('file_limit', 200_000),
      freeBytes: number('free_disk_mb', 512) * 1e6,
    },
    packagesLimitBytes: number('packages_limit_mb', 20_000) * 1e6,
    bundlesLimitBytes: number('bundles_limit_mb', 60_000) * 1e6,
    filesLimitBytes: number('files_limit_mb', 40_000) * 1e6,
    taskLimitMs: number('task_limit_seconds', 3600) * 1000,
    logLimitBytes: number('log_limit_bytes', 1024 * 1024),
    outputLimitBytes: number('output_limit_bytes', 16 * 1024 * 1024),
    startTimeoutMs: number('start_timeout_seconds', 120) * 1000,
    warmIdleMs: number('warm_idle_seconds', 900) * 1000,
    cacheUnusedMs: number('cache_unused_days', 14) * 86_400_000,
    unloadMs: 5_000,
    drainLimitMs: number('drain_limit_seconds', 30) * 1000,
    ...(raw.server_gone_limit_seconds !== undefined && {
      serverGoneLimitMs: number('server_gone_limit_seconds', 0) * 1000,
    }),
    hostEnv: context.hostEnv,
    engineVersion: context.engineVersion,
  }
  if (complaints.length > 0) throw new Error(`engine settings: ${complaints.join('; ')}`)
  return Object.freeze(config)
}

// A quarter of the machine for all that waits, so that what works finds room. The server decides how many there are.
export const idleMemoryShare = (workers: number): number =>
  Math.max(512, Math.floor(totalmem() / 4e6 / Math.max(1, workers))) * 1e6

const portOf = (address: string): number => {
  const url = URL.parse(address)
  return Number(url?.port) || (url?.protocol === 'https:' ? 443 : 80)
}

const listOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string'
    ? value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    : []
}
