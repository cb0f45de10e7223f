// Runs the ordinary engine program as a child process of the server, in its own folder. It survives a killed server;
// the next server finds it by its pid file.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, open, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Settings } from '#platform/settings/settings.ts'
import { type EngineSetup, type EngineUser, engineEnvironment, prepareEngineSetup } from './engine-user.ts'

/**
 * Longer than any restart of the server. Afterwards the abandoned engine ends by itself, because nothing else would end
 * it.
 */
const abandonedAfterSeconds = 600
const pollMs = 500

export const engineProgram = (): string => createRequire(import.meta.url).resolve('@millrace/engine/main')

export type PidFile = { readonly pid: number; readonly api_url: string; readonly work_folder?: string }

const pidFile = (folder: string): string => join(folder, 'engine.pid')

/** Null if the file does not exist or was not written completely. */
export const readPidFile = async (folder: string): Promise<PidFile | null> => {
  const text = await readFile(pidFile(folder), 'utf8').catch(() => '')
  try {
    return parseUntrustedJson(text) as PidFile
  } catch {
    return null
  }
}

export const removePidFile = (folder: string): Promise<void> => rm(pidFile(folder), { force: true })

/** Whether the process is alive and is the engine program: its pid may have been reused. */
export const isEngineProcess = async (pid: number): Promise<boolean> => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
  // Without /proc, a live process with this pid is assumed to be the engine.
  return command === null || command.includes(engineProgram())
}

/** Waits for the end of a process that is not a child of this one. */
export const engineEnded = async (pid: number): Promise<void> => {
  while (await isEngineProcess(pid)) await sleep(pollMs)
}

export const signalEngine = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has already ended.
  }
}

/** Ports that apps can never reach on this machine, whatever the operator allows. */
const ownPorts = ({ PORT, DATABASE_URL }: Settings): number[] => {
  const database = Number(/@[^/]*:(\d+)/.exec(DATABASE_URL ?? '')?.[1] ?? 5432)
  return DATABASE_URL === undefined ? [PORT] : [PORT, database]
}

export type EngineValues = {
  readonly api_key: string
  readonly name: string
  readonly workers: object
  /** Which GPUs it offers, as in `ENGINE_GPUS`. */
  readonly gpus: string
  /** The id of the engine, if it was assigned before the registration. */
  readonly engine_id?: string
}

export type EngineFolder = Extract<EngineSetup, { kind: 'ready' }>

/** The folder and the user of the engine. */
export const prepareEngineFolder = async (settings: Settings, folder: string): Promise<EngineSetup> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return prepareEngineSetup(settings.DATA_DIR, folder, { program: engineProgram(), settings })
}

export const spawnEngine = async (
  settings: Settings,
  folder: string,
  place: EngineFolder,
  values: EngineValues,
): Promise<ChildProcess & { pid: number }> => {
  const log = await open(join(folder, 'engine.log'), 'a', 0o600)
  const child: ChildProcess = spawn(process.execPath, [engineProgram(), '--config-fd', '3'], {
    // In its own process group, so that the server decides what a Ctrl-C in the terminal does.
    detached: true,
    cwd: place.workFolder,
    env: engineEnvironment(process.env, place.workFolder),
    // The settings include its key. A pipe keeps it out of files, command lines and environments.
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
    ...(place.user ?? {}),
  })
  await log.close()
  const { pid } = child
  if (pid === undefined) throw new Error('The engine program did not start')
  // Until then the engine waits for its settings.
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
  const pidFileContent: PidFile = { pid, api_url: settings.BASE_URL, work_folder: place.workFolder }
  await writeFile(pidFile(folder), JSON.stringify(pidFileContent), { mode: 0o600 })
  return Object.assign(child, { pid })
}

const handOverMs = 10_000

/** Only root can delegate a control group to the engine's user. Without one, the engine monitors its apps itself. */
const handOverGroups = async (child: ChildProcess, pid: number, { uid }: EngineUser): Promise<void> => {
  const program = createRequire(import.meta.url).resolve('@millrace/engine/hand-over-groups')
  const options = { env: {}, cwd: '/', timeout: handOverMs }
  const output = await promisify(execFile)(process.execPath, [program, String(pid), String(uid)], options).catch(
    () => null,
  )
  const made = output?.stdout.split('\n').filter(Boolean) ?? []
  // Innermost first; a group in use by another engine of this user stays.
  child.once('exit', async () => {
    for (const folder of made) await rmdir(folder).catch(() => undefined)
  })
}
