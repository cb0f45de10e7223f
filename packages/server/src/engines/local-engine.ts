// The engine that comes along: the ordinary engine program as a child process, registered in the platform's workspace
// by a key of its own. It outlives a killed server and goes on working; the next server finds it and carries on.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureServiceAccount, mintKey, revokeKeysFromSource } from '../access/service.ts'
import { guest } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import type { Settings } from '../settings.ts'
import {
  askRuntime,
  engineEnvironment,
  pickEngineUser,
  prepareEnginePlace,
  refuseStrangersWithoutSandbox,
} from './engine-place.ts'

const keySource = 'engine:local'
const stopLimitMs = 15_000
/** An engine that ends sooner than this after its start is not started again at once. */
const restartDelayMs = 1_000
const pollMs = 500
/** It waits for the next server longer than any restart takes, and then ends: nobody else would end it. */
const abandonedAfterSeconds = 600

/** Asks the engine's program only where the answer matters. */
export const checkEngineSettings = (settings: Settings): Promise<void> =>
  refuseStrangersWithoutSandbox(settings, () => {
    const isRoot = process.geteuid?.() === 0
    const user = isRoot ? pickEngineUser(readFileSync('/etc/passwd', 'utf8'), null) : null
    return askRuntime(engineProgram(), 'auto', user)
  })

type Running = { pid: number; ended: Promise<void> }

export const startLocalEngine = async (platform: Platform): Promise<() => Promise<void>> => {
  if (!platform.settings.ENGINE) return async () => {}
  const stopping = new AbortController()
  const folder = join(platform.settings.DATA_DIR, 'engine')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  let current: Running | null = null

  const supervise = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now()
      current = (await adopt(folder, platform.settings.BASE_URL)) ?? (await launch(platform, folder, stopping.signal))
      await current?.ended
      current = null
      if (performance.now() - startedMs < restartDelayMs) await pause(restartDelayMs, stopping.signal)
    }
  }
  const supervised = supervise().catch((error: unknown) =>
    platform.log.error({ err: error }, 'the local engine could not be kept running'),
  )

  return async () => {
    stopping.abort()
    const engine = current
    if (engine) {
      signal(engine.pid, 'SIGTERM')
      const limit = new AbortController()
      await Promise.race([engine.ended, pause(stopLimitMs, limit.signal)])
      limit.abort()
      signal(engine.pid, 'SIGKILL')
    }
    await supervised
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

/** The workspace exists once the first account does; until then there is nobody to run for. */
const platformTeam = async (platform: Platform, stop: AbortSignal) => {
  while (!stop.aborted) {
    const team = await platform.db
      .selectFrom('teams')
      .innerJoin('team_members', 'team_members.team_id', 'teams.id')
      .select(['teams.id', 'team_members.user_id'])
      .where('teams.is_platform', '=', true)
      .where('team_members.role', '=', 'owner')
      .limit(1)
      .executeTakeFirst()
    if (team) return team
    await pause(pollMs, stop)
  }
  return null
}

const launch = async (platform: Platform, folder: string, stop: AbortSignal): Promise<Running | null> => {
  const team = await platformTeam(platform, stop)
  if (!team) return null
  const { settings } = platform
  const place = await prepareEnginePlace(settings.DATA_DIR, folder, {
    program: engineProgram(),
    settings,
  })
  if (place.kind === 'refused') {
    platform.log.error(place.words)
    await pause(refusedPauseMs, stop)
    return null
  }
  if (place.warning !== null) platform.log.warn(place.warning)
  const key = await createCtx(platform, guest).tx(async (ctx) => {
    await revokeKeysFromSource(ctx, team.id, keySource)
    const { text } = await mintKey(ctx, {
      teamId: team.id,
      userId: await ensureServiceAccount(ctx.db, team.id),
      createdBy: team.user_id,
      name: 'The engine that comes along',
      scope: 'workspace',
      scopes: ['engines:write', 'files:write'],
      holdsEngineScopes: true,
      source: keySource,
      servesAll: true,
      expiresAt: null,
    })
    return text
  })
  const values = {
    api_url: settings.BASE_URL,
    api_key: key,
    name: 'local',
    workers: { cpu: { count: settings.ENGINE_CPU_WORKERS } },
    cache_path: place.workFolder,
    runtime: settings.ENGINE_RUNTIME,
    allow_private_hosts: settings.ALLOW_PRIVATE_HOSTS.join(','),
    own_ports: ownPorts(settings),
    server_gone_limit_seconds: abandonedAfterSeconds,
  }
  const log = await open(join(folder, 'engine.log'), 'a', 0o600)
  const child: ChildProcess = spawn(process.execPath, [engineProgram(), '--config-fd', '3'], {
    // Its own process group: a Ctrl-C in the terminal is ours to hand on.
    detached: true,
    cwd: place.workFolder,
    env: engineEnvironment(process.env, place.workFolder),
    // The settings hold its key: handed over, they are in no file, no command line and no environment.
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
    ...(place.user ?? {}),
  })
  await log.close()
  if (child.pid === undefined) throw new Error('The engine program could not be started')
  const handOver = child.stdio[3] as Writable
  handOver.on('error', () => {})
  handOver.end(JSON.stringify(values))
  await writeFile(pidFile(folder), JSON.stringify({ pid: child.pid, api_url: settings.BASE_URL }), { mode: 0o600 })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return { pid: child.pid, ended: ended.then(() => rm(pidFile(folder), { force: true })) }
}

/** A refusal is said again only now and then: the operator must change something first. */
const refusedPauseMs = 60_000

/** Ports that apps never reach on this machine, whatever the operator allows them. */
const ownPorts = ({ PORT, DATABASE_URL }: Platform['settings']): number[] => {
  const database = Number(/@[^/]*:(\d+)/.exec(DATABASE_URL ?? '')?.[1] ?? 5432)
  return DATABASE_URL === undefined ? [PORT] : [PORT, database]
}

const pidFile = (folder: string): string => join(folder, 'engine.pid')

/** Null when there is none, or when its writer was killed in the middle of writing it. */
const readPidFile = async (folder: string): Promise<{ pid: number; api_url: string } | null> => {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const engineProgram = (): string => createRequire(import.meta.url).resolve('@millrace/engine/main')

/** An engine that an earlier server left running. One that dials another address is of no use and is ended. */
const adopt = async (folder: string, baseUrl: string): Promise<Running | null> => {
  const left = await readPidFile(folder)
  if (!left || !(await isEngine(left.pid))) return null
  const { pid, api_url: address } = left
  const ended = (async () => {
    while (await isEngine(pid)) await sleep(pollMs)
    await rm(pidFile(folder), { force: true })
  })()
  if (address === baseUrl) return { pid, ended }
  signal(pid, 'SIGKILL')
  await ended
  return null
}

/** Alive, and really our program: the number may belong to another process by now. */
const isEngine = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  // Without /proc there is no cheap way to tell; the live process is taken at its word.
  return command === null || command.includes(engineProgram())
}
