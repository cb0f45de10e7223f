// The server's own machine as a cloud: every instance is another engine process. A process that ended by itself is a
// lost machine; one that ended with the server is restarted with it.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine } from '@millrace/contract/broker'
import { newId } from '@millrace/contract/ids'
import type { Logger } from 'pino'
import type { Settings } from '#platform/settings/settings.ts'
import { isEngineProcess, prepareEngineFolder, readPidFile, signalEngine, spawnEngine } from '../engines/service.ts'
import { LaunchFailed, type Provider } from './provider.ts'

const stopLimitMs = 10_000
const pollMs = 100
const restartExit = 75

const rootOf = ({ DATA_DIR }: Settings): string => join(DATA_DIR, 'instances')
const restFile = (folder: string): string => join(folder, 'resting')

/** Identifies the data folder: a server with another data folder cannot see the processes of this one. */
export const localHost = async (settings: Settings): Promise<string> => {
  const root = rootOf(settings)
  const file = join(root, 'host')
  await mkdir(root, { recursive: true, mode: 0o700 })
  await writeFile(file, newId(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return readFile(file, 'utf8')
}

export type LocalProvider = Provider & {
  /** Ends the processes with the server. They count as the same machines when they are restarted. */
  rest(): Promise<void>
  /** Whether it ended with the server. */
  isResting(id: string): Promise<boolean>
}

const endProcess = async (pid: number): Promise<void> => {
  signalEngine(pid, 'SIGTERM')
  for (let waited = 0; waited < stopLimitMs && (await isEngineProcess(pid)); waited += pollMs) await sleep(pollMs)
  killGroup(pid)
}

/** The process group includes everything that its apps have started. */
const killGroup = (pid: number): void => {
  for (const target of [-pid, pid]) signalEngine(target, 'SIGKILL')
}

export const createLocalProvider = (settings: Settings, log: Logger): LocalProvider => {
  const root = rootOf(settings)
  const folderOf = (id: string): string => join(root, id)
  const folders = async (): Promise<string[]> =>
    (await readdir(root, { withFileTypes: true }).catch(() => []))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
  const runningPid = async (id: string): Promise<number | null> => {
    const pidFile = await readPidFile(folderOf(id))
    return pidFile && (await isEngineProcess(pidFile.pid)) ? pidFile.pid : null
  }

  const launch = async (machine: Machine): Promise<void> => {
    const folder = folderOf(machine.id)
    const place = await prepareEngineFolder(settings, folder)
    if (place.kind === 'refused') throw new LaunchFailed(place.message, true)
    await rm(restFile(folder), { force: true })
    const child = await spawnEngine(settings, folder, place, {
      api_key: machine.engine.api_key,
      name: machine.engine.name,
      engine_id: machine.engine.id,
      workers: { cpu: { count: Math.max(1, machine.configuration.vcpus) } },
      gpus: 'none',
    })
    child.once('exit', (code) => {
      if (code !== restartExit) return
      launch(machine).catch((error: unknown) =>
        log.error({ err: error, instanceId: machine.id }, 'could not restart a rented engine'),
      )
    })
  }

  return {
    launch: async (machine) => {
      const pid = await runningPid(machine.id)
      if (pid === null) await launch(machine)
      return { status: 'pending', cloud_assigned_id: machine.id, ip: '127.0.0.1' }
    },
    getStatus: async (id) =>
      (await runningPid(id)) === null
        ? { kind: 'gone' }
        : { kind: 'there', facts: { status: 'active', cloud_assigned_id: id, ip: '127.0.0.1' } },
    remove: async (id) => {
      const pidFile = await readPidFile(folderOf(id))
      const pid = await runningPid(id)
      if (pid !== null) await endProcess(pid)
      if (pidFile?.work_folder) await rm(pidFile.work_folder, { recursive: true, force: true })
      await rm(folderOf(id), { recursive: true, force: true })
      return true
    },
    list: folders,
    isResting: async (id) =>
      readFile(restFile(folderOf(id))).then(
        () => true,
        () => false,
      ),
    rest: async () => {
      await Promise.all(
        (await folders()).map(async (id) => {
          const pid = await runningPid(id)
          if (pid === null) return
          await writeFile(restFile(folderOf(id)), '', { mode: 0o600 })
          // Killed, because an engine that is asked to stop reports a permanent stop, which would end the rental.
          killGroup(pid)
        }),
      )
    },
  }
}
