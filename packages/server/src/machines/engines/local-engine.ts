// The engine that comes along: the ordinary engine program as a child process, registered in the platform's workspace
// by a key of its own. It outlives a killed server and goes on working; the next server finds it and carries on.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureServiceAccount, mintKey, revokeKeysFromSource } from '#accounts/access/service.ts'
import { platformTeam } from '#accounts/identity/service.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { placeOf } from '#platform/fleet/place.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { askRuntime, pickEngineUser, refuseStrangersWithoutSandbox } from './engine-place.ts'
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

/** A key per data folder: a sibling's engine keeps its own. */
const keySourceOf = async (dataDir: string): Promise<string> => `engine:local:${await placeOf(dataDir)}`
/** More than it lets its tasks finish (`ENGINE_DRAIN_SECONDS`), so that what is left then is told and not lost. */
const tellMs = 10_000
/** An engine that ends sooner than this after its start is not started again at once. */
const restartDelayMs = 1_000
const pollMs = 500

/** Asks the engine's program only where the answer matters. */
export const checkEngineSettings = (settings: Settings): Promise<void> =>
  refuseStrangersWithoutSandbox(settings, () => {
    const isRoot = process.geteuid?.() === 0
    const user = isRoot ? pickEngineUser(readFileSync('/etc/passwd', 'utf8'), null) : null
    return askRuntime(engineProgram(), 'auto', user)
  })

type Running = { pid: number; ended: Promise<void>; place?: EngineFolder }

export const startLocalEngine = async (platform: Platform): Promise<() => Promise<void>> => {
  if (!platform.settings.ENGINE) return async () => {}
  const stopping = new AbortController()
  const folder = join(platform.settings.DATA_DIR, 'engine')
  /** Where an engine has worked already another one works too: finding that out takes a process of its own. */
  let proven: EngineFolder | undefined

  const supervise = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now()
      const engine =
        (await adopt(folder, platform.settings.BASE_URL)) ?? (await launch(platform, folder, stopping.signal, proven))
      if (engine) await untilEnded(engine, stopping.signal, platform.settings.ENGINE_DRAIN_SECONDS)
      const isShortLived = performance.now() - startedMs < restartDelayMs
      proven = isShortLived ? undefined : engine?.place
      if (isShortLived) await pause(restartDelayMs, stopping.signal)
    }
  }
  const supervised = supervise().catch((error: unknown) =>
    platform.log.error({ err: error }, 'the local engine could not be kept running'),
  )

  return async () => {
    stopping.abort()
    await supervised
  }
}

/** Told to stop, also while the engine was being started, it asks the engine to end and, after a while, does not ask. */
const untilEnded = async ({ pid, ended }: Running, stop: AbortSignal, drainSeconds: number): Promise<void> => {
  let limit: NodeJS.Timeout | undefined
  const end = (): void => {
    signalEngine(pid, 'SIGTERM')
    limit = setTimeout(() => signalEngine(pid, 'SIGKILL'), drainSeconds * 1000 + tellMs)
  }
  if (stop.aborted) end()
  else stop.addEventListener('abort', end, { once: true })
  await ended
  stop.removeEventListener('abort', end)
  clearTimeout(limit)
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

/** The workspace exists once the first account does; until then there is nobody to run for. */
const awaitPlatformTeam = async (platform: Platform, stop: AbortSignal) => {
  while (!stop.aborted) {
    const team = await platformTeam(platform.db)
    if (team) return team
    await pause(pollMs, stop)
  }
  return null
}

const launch = async (
  platform: Platform,
  folder: string,
  stop: AbortSignal,
  proven: EngineFolder | undefined,
): Promise<Running | null> => {
  const team = await awaitPlatformTeam(platform, stop)
  if (!team) return null
  const { settings } = platform
  const place = proven ?? (await prepareEngineFolder(settings, folder))
  if (place.kind === 'refused') {
    platform.log.error(place.words)
    await pause(refusedPauseMs, stop)
    return null
  }
  if (place.warning !== null && !proven) platform.log.warn(place.warning)
  const source = await keySourceOf(settings.DATA_DIR)
  const key = await createCtx(platform, system).tx(async (ctx) => {
    await revokeKeysFromSource(ctx, team.id, source)
    // Of earlier versions, which named it alike everywhere.
    await revokeKeysFromSource(ctx, team.id, 'engine:local')
    const { text } = await mintKey(ctx, {
      teamId: team.id,
      userId: await ensureServiceAccount(ctx.db, team.id),
      createdBy: team.owner_id,
      name: 'The engine that comes along',
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
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return { pid: child.pid, ended: ended.then(() => removePidFile(folder)), place }
}

/** A refusal is said again only now and then: the operator must change something first. */
const refusedPauseMs = 60_000

/** An engine that an earlier server left running. One that dials another address is of no use and is ended. */
const adopt = async (folder: string, baseUrl: string): Promise<Running | null> => {
  const left = await readPidFile(folder)
  if (!left || !(await isEngineProcess(left.pid))) return null
  const { pid, api_url: address } = left
  const ended = engineEnded(pid).then(() => removePidFile(folder))
  if (address === baseUrl) return { pid, ended }
  signalEngine(pid, 'SIGKILL')
  await ended
  return null
}
