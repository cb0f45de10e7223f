// A control group for each app process and all it starts, which the kernel holds to its limits and from which nobody leaves
// by forking. Only where the engine may make groups; elsewhere, and for what the kernel does not count, there is the watch
// (limit-watch.ts).

import { spawnSync } from 'node:child_process'
import { readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { ProcessLimits } from '../runtimes/runtime.ts'
import {
  attempt,
  type Controller,
  controllers,
  createFolder,
  findOwnPlace,
  type Place,
  periodUs,
  pidsIn,
  read,
  succeeds,
} from './control-group-place.ts'

export type ControlGroup = {
  // What a program is started through: it is inside before it begins.
  enter: readonly string[]
  pids: () => number[]
  // The limit by which the kernel ended one of its processes, if it did.
  overLimit: () => string | undefined
  // Between two calls: the limits of one that waits.
  rest: () => void
  wake: () => void
  kill: () => void
  // Ends what is left inside. Settles when nothing is.
  remove: () => Promise<void>
}

export type ControlGroups = {
  // For the diary: `v2: memory, pids, cpu`.
  found: string
  // From now on groups carry this engine's id. Those that an earlier life of it left are ended.
  claim: (engineId: string) => Promise<void>
  create: (processId: string, limits: ProcessLimits) => ControlGroup | undefined
}

/** Only a trial tells whether a program can be held here. */
export const findControlGroups = (log: Log): ControlGroups | undefined => {
  const place = findOwnPlace()
  if (!place) return undefined
  const limits = { memoryBytes: 2 ** 30, processes: 16, idleMemoryBytes: 2 ** 30, idleCpuShare: 1 }
  const trial = createGroup(place, `trial-${process.pid}`, limits)
  const [program = '', ...args] = [...(trial?.enter ?? []), 'true']
  const works = trial !== undefined && spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0
  void trial?.remove()
  return works ? controlGroupsIn(place, log) : undefined
}

export const controlGroupsIn = (place: Place, log: Log): ControlGroups => {
  let prefix = ''
  let warned = false
  return {
    found: `${place.dialect.name}: ${controllers.filter((name) => place.folders[name] !== undefined).join(', ')}`,
    claim: async (engineId) => {
      prefix = `${engineId}.`
      const names = Object.values(place.folders).flatMap((folder) => readdirSync(folder))
      const left = new Set(names.filter((name) => name.startsWith(prefix)))
      await Promise.all([...left].map((name) => hold(place, name).remove()))
    },
    create: (processId, limits) => {
      const group = createGroup(place, prefix + processId, limits)
      if (!group && !warned) log('warn', 'no control group could be made: limits are watched instead')
      warned ||= !group
      return group
    },
  }
}

// The kernel counts threads, of which interpreters start several.
export const threadsPerProcess = 16

const createGroup = (place: Place, name: string, limits: ProcessLimits): ControlGroup | undefined => {
  const group = hold(place, name)
  const bounds = bound(place, name, limits)
  if (!group.folders.every(createFolder) || !bounds.begin()) {
    void group.remove()
    return undefined
  }
  const doors = group.folders.map((folder) => join(folder, 'cgroup.procs'))
  return { ...group, ...bounds, enter: [...entering, ...doors, '--'] }
}

const bound = ({ dialect, folders }: Place, name: string, limits: ProcessLimits) => {
  const set = (controller: Controller, file: string, text: string): boolean => {
    const folder = folders[controller]
    return folder === undefined || attempt(join(folder, name, file), text)
  }
  const setMemory = (bytes: number) => set('memory', dialect.memoryLimit, String(bytes))
  const setProcessor = (quotaUs?: number) => set('cpu', ...dialect.processor(quotaUs))
  const ofMemory = (file: string) =>
    folders.memory === undefined ? '' : (read(join(folders.memory, name, file)) ?? '')
  let resting = false
  let memoryLowered = false
  return {
    begin: () => {
      const mostThreads = limits.processes * threadsPerProcess
      const held = [setMemory(limits.memoryBytes), set('pids', 'pids.max', String(mostThreads)), setProcessor()]
      for (const [file, text] of Object.entries(dialect.memoryOnce(limits.memoryBytes))) set('memory', file, text)
      return held.every(Boolean)
    },
    overLimit: () => {
      if (!/^oom_kill [1-9]/m.test(ofMemory(dialect.memoryEvents))) return undefined
      return memoryLowered ? restingMemoryWords(limits) : memoryWords(limits)
    },
    rest: () => {
      resting = true
      setProcessor(Math.max(leastQuotaUs, Math.round(limits.idleCpuShare * restingFactor * periodUs)))
      // One that holds more already is the watch's to judge: files that were read count here, and would have to go first.
      const used = Number(ofMemory(dialect.memoryUsage))
      memoryLowered = used < limits.idleMemoryBytes && setMemory(limits.idleMemoryBytes)
    },
    wake: () => {
      if (!resting) return
      resting = false
      memoryLowered = false
      setMemory(limits.memoryBytes)
      setProcessor()
    },
  }
}

// The kernel takes no less.
const leastQuotaUs = 1_000
// More than a process at rest may use, so that the watch sees one that goes on, and ends it.
const restingFactor = 2

const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"'
const entering = ['/bin/sh', '-c', script, 'enter']

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)
export const memoryWords = ({ memoryBytes }: Pick<ProcessLimits, 'memoryBytes'>): string =>
  `memory limit of ${inMegabytes(memoryBytes)} MB exceeded`
export const restingMemoryWords = ({ idleMemoryBytes }: Pick<ProcessLimits, 'idleMemoryBytes'>): string =>
  `memory limit of ${inMegabytes(idleMemoryBytes)} MB between tasks exceeded`

// --- The end of a group ---------------------------------------------------------------------------------------------

const removeRounds = 500
const removePauseMs = 10

const hold = ({ folders }: Place, name: string) => {
  const own = [...new Set(Object.values(folders))].map((folder) => join(folder, name))
  const pids = () => [...new Set(own.flatMap(pidsIn))]
  const kill = () => {
    if (own.every((folder) => attempt(join(folder, 'cgroup.kill'), '1'))) return
    // Without room for another process none can be started while those that are there are ended.
    for (const folder of own) attempt(join(folder, 'pids.max'), '0')
    for (const pid of pids()) succeeds(() => process.kill(pid, 'SIGKILL'))
  }
  return {
    folders: own,
    pids,
    kill,
    // A group can be removed when nobody is in it.
    remove: async () => {
      for (let round = 0; round < removeRounds; round++) {
        if (own.filter((folder) => !succeeds(() => rmdirSync(folder), 'ENOENT')).length === 0) return
        kill()
        await sleep(removePauseMs)
      }
    },
  }
}
