// The local engine: the ordinary engine program as a child process, registered in the platform's workspace with its own
// key. It survives a killed server and continues to work; the next server adopts it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureServiceAccount, mintKey, revokeKeysFromSource } from '#accounts/access/service.ts'
import { awaitPlatformTeam } from '#accounts/identity/service.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { placeOf } from '#platform/fleet/place.ts'
import type { Settings } from '#platform/settings/settings.ts'
import {
  type EngineFolder,
  engineEnded,
  engineProgram,
  isEngineProcess,
  prepareEngineFolder,
  readPidFile,
  removePidFile,
  signalEngine,
  spawnEngine,
} from './engine-process.ts'
import { pickEngineUser, queryRuntime, refuseOpenSignUpWithoutSandbox } from './engine-user.ts'

/** One key per data folder, so that servers that share a database do not replace each other's keys. */
const keySourceOf = async (dataDir: string): Promise<string> => `engine:local:${await placeOf(dataDir)}`
/**
 * Added to the time that the engine gives its tasks (`ENGINE_DRAIN_SECONDS`), so that it can still report the remaining
 * ones.
 */
const reportMs = 10_000
/** Minimum time between two starts of the engine. */
const restartDelayMs = 1_000

/** Queries the engine program only if the answer matters. */
export const checkEngineSettings = (settings: Settings): Promise<void> =>
  refuseOpenSignUpWithoutSandbox(settings, () => {
    const isRoot = process.geteuid?.() === 0
    const user = isRoot ? pickEngineUser(readFileSync('/etc/passwd', 'utf8'), null) : null
    return queryRuntime(engineProgram(), 'auto', user)
  })

type Running = { pid: number; ended: Promise<void>; place?: EngineFolder }

export const startLocalEngine = async (platform: Platform): Promise<() => Promise<void>> => {
  if (!platform.settings.ENGINE) return async () => {}
  const stopping = new AbortController()
  const folder = join(platform.settings.DATA_DIR, 'engine')
  /** The folder of the last engine that worked. Reusing it saves the process that checks a folder. */
  let lastFolder: EngineFolder | undefined

  const supervise = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now()
      const engine =
        (await adopt(folder, platform.settings.BASE_URL)) ??
        (await launch(platform, folder, stopping.signal, lastFolder))
      if (engine) await untilEnded(engine, stopping.signal, platform.settings.ENGINE_DRAIN_SECONDS)
      const isShortLived = performance.now() - startedMs < restartDelayMs
      lastFolder = isShortLived ? undefined : engine?.place
      if (isShortLived) await pause(restartDelayMs, stopping.signal)
    }
  }
  const supervised = supervise().catch((error: unknown) =>
    platform.log.error({ err: error }, 'could not keep the local engine running'),
  )

  return async () => {
    stopping.abort()
    await supervised
  }
}

/**
 * Waits for the end of the engine. On shutdown it asks the engine to stop and kills it after a timeout; this also works
 * while the engine is starting.
 */
const untilEnded = async ({ pid, ended }: Running, stop: AbortSignal, drainSeconds: number): Promise<void> => {
  let limit: NodeJS.Timeout | undefined
  const end = (): void => {
    signalEngine(pid, 'SIGTERM')
    limit = setTimeout(() => signalEngine(pid, 'SIGKILL'), drainSeconds * 1000 + reportMs)
  }
  if (stop.aborted) end()
  else stop.addEventListener('abort', end, { once: true })
  await ended
  stop.removeEventListener('abort', end)
  clearTimeout(limit)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

const launch = async (
  platform: Platform,
  folder: string,
  stop: AbortSignal,
  lastFolder: EngineFolder | undefined,
): Promise<Running | null> => {
  // Before the first account there are no tasks.
  const team = await awaitPlatformTeam(platform, stop)
  if (!team) return null
  const { settings } = platform
  const place = lastFolder ?? (await prepareEngineFolder(settings, folder))
  if (place.kind === 'refused') {
    platform.log.error(place.message)
    await pause(refusedDelayMs, stop)
    return null
  }
  if (place.warning !== null && !lastFolder) platform.log.warn(place.warning)
  const source = await keySourceOf(settings.DATA_DIR)
  const key = await createCtx(platform, system).tx(async (ctx) => {
    await revokeKeysFromSource(ctx, team.id, source)
    // Of earlier versions, which used the same source on every server.
    await revokeKeysFromSource(ctx, team.id, 'engine:local')
    const { text } = await mintKey(ctx, {
      teamId: team.id,
      userId: await ensureServiceAccount(ctx.db, team.id),
      createdBy: team.owner_id,
      name: 'Local engine',
      scope: 'workspace',
      scopes: ['engines:write', 'files:write'],
      holdsEngineScopes: true,
      source,
      servesAll: true,
      expiresAt: null,
    })
    return text
  })
  const child = await spawnEngine(settings, folder, place, {
    api_key: key,
    name: 'local',
    workers: { cpu: { count: settings.ENGINE_CPU_WORKERS } },
    gpus: settings.ENGINE_GPUS,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return { pid: child.pid, ended: ended.then(() => removePidFile(folder)), place }
}

/** Delay before the next try (and message) after a refusal that requires an action of the operator. */
const refusedDelayMs = 60_000

/** An engine that an earlier server left running. An engine that connects to another address is ended. */
const adopt = async (folder: string, baseUrl: string): Promise<Running | null> => {
  const pidFile = await readPidFile(folder)
  if (!pidFile || !(await isEngineProcess(pidFile.pid))) return null
  const { pid, api_url: address } = pidFile
  const ended = engineEnded(pid).then(() => removePidFile(folder))
  if (address === baseUrl) return { pid, ended }
  signalEngine(pid, 'SIGKILL')
  await ended
  return null
}
