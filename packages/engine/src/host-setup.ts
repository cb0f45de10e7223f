// Prepares the host for an engine: folders, caches, the environment of apps, and remains of earlier runs.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { EngineConfig } from './config.ts'
import { handoverFolder, tidyHandover } from './environments/handover.ts'
import { removeFolder } from './files/safe-open.ts'
import type { Log } from './log.ts'
import { type BoundedCache, createBoundedCache } from './machine/bounded-cache.ts'
import { sweepAppCaches } from './machine/cache-sweep.ts'
import type { ProcessMarks } from './machine/process-mark.ts'
import { pidsMarked, pidsWithEnv } from './machine/process-table.ts'
import { modelCacheFolder } from './machine/system-info.ts'

// Partial results of an earlier run cannot be used.
export const prepareFolders = async (root: string): Promise<void> => {
  for (const name of ['tmp', 'inputs', 'copies']) await removeFolder(join(root, name))
  for (const name of ['bundles', 'copies', 'files', 'inputs', 'tmp']) await mkdir(join(root, name), { recursive: true })
}

const sweepIntervalMs = 6 * 3_600_000

/** Caches of bundles and input files, within the limits of the settings. */
export const createCaches = (config: EngineConfig, log: Log): { bundles: BoundedCache; files: BoundedCache } => {
  const cache = (name: string, limitBytes: number): BoundedCache =>
    createBoundedCache(join(config.cachePath, name), { limitBytes, unusedMs: config.cacheUnusedMs, log })
  return { bundles: cache('bundles', config.bundlesLimitBytes), files: cache('files', config.filesLimitBytes) }
}

export const boundCaches = (
  { cachePath, cacheUnusedMs, hostEnv }: EngineConfig,
  caches: readonly BoundedCache[],
): NodeJS.Timeout => {
  const sweep = async () => {
    for (const cache of caches) await cache.sweep()
    await sweepAppCaches(join(cachePath, 'apps'), cacheUnusedMs, Date.now())
    const handedOver = handoverFolder(hostEnv)
    if (handedOver !== undefined) await tidyHandover(handedOver)
  }
  void sweep()
  return setInterval(() => void sweep(), sweepIntervalMs).unref()
}

export const appEnvironment = (config: EngineConfig): Record<string, string> => {
  const shared = [
    'PATH',
    'LANG',
    'LC_ALL',
    'TZ',
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
  ]
  const inherited = shared.flatMap((key) => {
    const value = config.hostEnv[key]
    return value === undefined ? [] : [[key, value]]
  })
  return {
    ...Object.fromEntries(inherited),
    HF_HOME: dirname(modelCacheFolder(config.cachePath)),
    MILLRACE_ALLOW_PRIVATE_HOSTS: config.allowPrivateHosts.join(','),
    MILLRACE_OWN_PORTS: config.ownPorts.join(','),
  }
}

// An earlier engine process with this id that was killed may have left app processes behind.
export const killOrphans = (engineId: string, marks: ProcessMarks, log: Log): void => {
  for (const pid of new Set([...pidsWithEnv(`MILLRACE_ENGINE=${engineId}`), ...pidsMarked(marks.owns)])) {
    if (pid === process.pid) continue
    log('warn', 'killing an orphaned app process', { pid })
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}
