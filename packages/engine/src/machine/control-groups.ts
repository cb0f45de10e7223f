// A cgroup for each app process and its descendants. The kernel enforces the limits, and a fork cannot leave the group.
// Where the engine may not create groups, and for limits that cgroups lack, see limit-watch.ts.

import { spawnSync } from 'node:child_process'
import { readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { ProcessLimits } from '../runtimes/runtime.ts'
import {
  attempt,
  type ControlGroupLocation,
  type Controller,
  controllers,
  createFolder,
  findOwnLocation,
  periodUs,
  pidsIn,
  read,
  succeeds,
} from './control-group-location.ts'

export type ControlGroup = {
  // A command prefix that moves a program into the group before it starts.
  enter: readonly string[]
  pids: () => number[]
  // The limit for which the kernel killed a process of the group, if any.
  overLimit: () => string | undefined
  // Applies the limits of an idle process, between two calls.
  applyIdleLimits: () => void
  wake: () => void
  kill: () => void
  // Kills the processes in the group. Settles when it is empty.
  remove: () => Promise<void>
}

export type ControlGroups = {
  // For the log, for example `v2: memory, pids, cpu`.
  found: string
  // Names later groups after this engine, and kills the processes in groups of an earlier run.
  claim: (engineId: string) => Promise<void>
  create: (processId: string, limits: ProcessLimits) => ControlGroup | undefined
}

/** Creates a trial group, because only that shows whether groups can be used here. */
export const findControlGroups = (log: Log): ControlGroups | undefined => {
  const location = findOwnLocation()
  if (!location) return undefined
  const limits = { memoryBytes: 2 ** 30, processes: 16, idleMemoryBytes: 2 ** 30, idleCpuShare: 1 }
  const trial = createGroup(location, `trial-${process.pid}`, limits)
  const [program = '', ...args] = [...(trial?.enter ?? []), 'true']
  const works = trial !== undefined && spawnSync(program, args, { stdio: 'ignore', timeout: 10_000 }).status === 0
  void trial?.remove()
  return works ? controlGroupsIn(location, log) : undefined
}

export const controlGroupsIn = (location: ControlGroupLocation, log: Log): ControlGroups => {
  let prefix = ''
  let warned = false
  return {
    found: `${location.dialect.name}: ${controllers.filter((name) => location.folders[name] !== undefined).join(', ')}`,
    claim: async (engineId) => {
      prefix = `${engineId}.`
      const names = Object.values(location.folders).flatMap((folder) => readdirSync(folder))
      const left = new Set(names.filter((name) => name.startsWith(prefix)))
      await Promise.all([...left].map((name) => groupOf(location, name).remove()))
    },
    create: (processId, limits) => {
      const group = createGroup(location, prefix + processId, limits)
      if (!group && !warned) log('warn', 'cgroups cannot be created: limits are watched instead')
      warned ||= !group
      return group
    },
  }
}

// The kernel counts threads, and interpreters start several.
export const threadsPerProcess = 16

const createGroup = (location: ControlGroupLocation, name: string, limits: ProcessLimits): ControlGroup | undefined => {
  const group = groupOf(location, name)
  const bounds = bound(location, name, limits)
  if (!group.folders.every(createFolder) || !bounds.begin()) {
    void group.remove()
    return undefined
  }
  const processFiles = group.folders.map((folder) => join(folder, 'cgroup.procs'))
  return { ...group, ...bounds, enter: [...entering, ...processFiles, '--'] }
}

const bound = ({ dialect, folders }: ControlGroupLocation, name: string, limits: ProcessLimits) => {
  const set = (controller: Controller, file: string, text: string): boolean => {
    const folder = folders[controller]
    return folder === undefined || attempt(join(folder, name, file), text)
  }
  const setMemory = (bytes: number) => set('memory', dialect.memoryLimit, String(bytes))
  const setProcessor = (quotaUs?: number) => set('cpu', ...dialect.processor(quotaUs))
  const ofMemory = (file: string) =>
    folders.memory === undefined ? '' : (read(join(folders.memory, name, file)) ?? '')
  let isIdle = false
  let memoryLowered = false
  return {
    begin: () => {
      const maxThreads = limits.processes * threadsPerProcess
      const applied = [setMemory(limits.memoryBytes), set('pids', 'pids.max', String(maxThreads)), setProcessor()]
      for (const [file, text] of Object.entries(dialect.memoryOnce(limits.memoryBytes))) set('memory', file, text)
      return applied.every(Boolean)
    },
    overLimit: () => {
      if (!/^oom_kill [1-9]/m.test(ofMemory(dialect.memoryEvents))) return undefined
      return memoryLowered ? idleMemoryMessage(limits) : memoryMessage(limits)
    },
    applyIdleLimits: () => {
      isIdle = true
      setProcessor(Math.max(minQuotaUs, Math.round(limits.idleCpuShare * idleShareFactor * periodUs)))
      // A process above the idle limit is left to the limit watch: the group also counts page cache, which the kernel
      // would have to reclaim first.
      const used = Number(ofMemory(dialect.memoryUsage))
      memoryLowered = used < limits.idleMemoryBytes && setMemory(limits.idleMemoryBytes)
    },
    wake: () => {
      if (!isIdle) return
      isIdle = false
      memoryLowered = false
      setMemory(limits.memoryBytes)
      setProcessor()
    },
  }
}

// The smallest quota that the kernel accepts.
const minQuotaUs = 1_000
// Above the share that an idle process may use, so that the limit watch still detects and ends a busy one.
const idleShareFactor = 2

const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift; exec "$@"'
const entering = ['/bin/sh', '-c', script, 'enter']

const inMegabytes = (bytes: number): number => Math.round(bytes / 1e6)
export const memoryMessage = ({ memoryBytes }: Pick<ProcessLimits, 'memoryBytes'>): string =>
  `memory limit of ${inMegabytes(memoryBytes)} MB exceeded`
export const idleMemoryMessage = ({ idleMemoryBytes }: Pick<ProcessLimits, 'idleMemoryBytes'>): string =>
  `memory limit of ${inMegabytes(idleMemoryBytes)} MB between tasks exceeded`

// --- The end of a group ---------------------------------------------------------------------------------------------

const removeRounds = 500
const removePauseMs = 10

const groupOf = ({ folders }: ControlGroupLocation, name: string) => {
  const own = [...new Set(Object.values(folders))].map((folder) => join(folder, name))
  const pids = () => [...new Set(own.flatMap(pidsIn))]
  const kill = () => {
    if (own.every((folder) => attempt(join(folder, 'cgroup.kill'), '1'))) return
    // A limit of zero prevents new processes while the existing ones are killed.
    for (const folder of own) attempt(join(folder, 'pids.max'), '0')
    for (const pid of pids()) succeeds(() => process.kill(pid, 'SIGKILL'))
  }
  return {
    folders: own,
    pids,
    kill,
    // A group can be removed only when it is empty.
    remove: async () => {
      for (let round = 0; round < removeRounds; round++) {
        if (own.filter((folder) => !succeeds(() => rmdirSync(folder), 'ENOENT')).length === 0) return
        kill()
        await sleep(removePauseMs)
      }
    },
  }
}
