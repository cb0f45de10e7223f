// The ordinary engine program as a child process of the server, in a folder of its own. It outlives a killed server; the
// next one finds it by the number it left behind.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, open, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Settings } from '#platform/settings/settings.ts'
import { type EnginePlace, type EngineUser, engineEnvironment, prepareEnginePlace } from './engine-place.ts'

/** It waits for the next server longer than any restart takes, and then ends: nobody else would end it. */
const abandonedAfterSeconds = 600
const pollMs = 500

export const engineProgram = (): string => createRequire(import.meta.url).resolve('@millrace/engine/main')

export type LeftEngine = { readonly pid: number; readonly api_url: string; readonly work_folder?: string }

const pidFile = (folder: string): string => join(folder, 'engine.pid')

/** Null when there is none, or when its writer was killed in the middle of writing it. */
export const readPidFile = async (folder: string): Promise<LeftEngine | null> => {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  try {
    return parseUntrustedJson(text) as LeftEngine
  } catch {
    return null
  }
}

export const removePidFile = (folder: string): Promise<void> => rm(pidFile(folder), { force: true })

/** Alive, and really our program: the number may belong to another process by now. */
export const isEngineProcess = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  // Without /proc there is no cheap way to tell; the live process is taken at its word.
  return command === null || command.includes(engineProgram())
}

/** Until a process that is not ours to wait for has ended. */
export const engineEnded = async (pid: number): Promise<void> => {
  while (await isEngineProcess(pid)) await sleep(pollMs)
}

export const signalEngine = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

/** Ports that apps never reach on this machine, whatever the operator allows them. */
const ownPorts = ({ PORT, DATABASE_URL }: Settings): number[] => {
  const database = Number(/@[^/]*:(\d+)/.exec(DATABASE_URL ?? '')?.[1] ?? 5432)
  return DATABASE_URL === undefined ? [PORT] : [PORT, database]
}

export type EngineValues = {
  readonly api_key: string
  readonly name: string
  readonly workers: object
  /** Who it is, where that was decided before it registers. */
  readonly engine_id?: string
}

export type EngineFolder = Extract<EnginePlace, { kind: 'ready' }>

/** Where the engine of this folder may work, and as whom. */
export const prepareEngineFolder = async (settings: Settings, folder: string): Promise<EnginePlace> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return prepareEnginePlace(settings.DATA_DIR, folder, { program: engineProgram(), settings })
}

export const spawnEngine = async (
  settings: Settings,
  folder: string,
  place: EngineFolder,
  values: EngineValues,
): Promise<ChildProcess & { pid: number }> => {
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
  const { pid } = child
  if (pid === undefined) throw new Error('The engine program could not be started')
  // It waits for its settings.
  if (place.user && settings.ENGINE_CGROUPS === 'auto') await handOverGroups(child, pid, place.user)
  const handOver = child.stdio[3] as Writable
  handOver.on('error', () => {})
  handOver.end(
    JSON.stringify({
      api_url: settings.BASE_URL,
      cache_path: place.workFolder,
      runtime: settings.ENGINE_RUNTIME,
      cgroups: settings.ENGINE_CGROUPS,
      drain_limit_seconds: settings.ENGINE_DRAIN_SECONDS,
      bundles_limit_mb: settings.ENGINE_BUNDLES_MB,
      files_limit_mb: settings.ENGINE_FILES_MB,
      allow_private_hosts: settings.ALLOW_PRIVATE_HOSTS.join(','),
      own_ports: ownPorts(settings),
      server_gone_limit_seconds: abandonedAfterSeconds,
      ...values,
    }),
  )
  const left: LeftEngine = { pid, api_url: settings.BASE_URL, work_folder: place.workFolder }
  await writeFile(pidFile(folder), JSON.stringify(left), { mode: 0o600 })
  return Object.assign(child, { pid })
}

const handOverMs = 10_000

/** Nobody but root can give the engine's user a place for control groups; where there is none, the engine watches its apps. */
const handOverGroups = async (child: ChildProcess, pid: number, { uid }: EngineUser): Promise<void> => {
  const program = createRequire(import.meta.url).resolve('@millrace/engine/hand-over-groups')
  const options = { env: {}, cwd: '/', timeout: handOverMs }
  const said = await promisify(execFile)(process.execPath, [program, String(pid), String(uid)], options).catch(
    () => null,
  )
  const made = said?.stdout.split('\n').filter(Boolean) ?? []
  // Innermost first; one that another engine of this user is in stays.
  child.once('exit', async () => {
    for (const folder of made) await rmdir(folder).catch(() => undefined)
  })
}
