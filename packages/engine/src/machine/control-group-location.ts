// Finds where Linux cgroups can be created, and the file names of cgroup v1 and v2. Groups are created below the
// engine's own group, so that limits of the engine apply to its apps too.

import { chownSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export const controllers = ['memory', 'pids', 'cpu'] as const
export type Controller = (typeof controllers)[number]

type Dialect = {
  name: 'v1' | 'v2'
  memoryLimit: string
  memoryUsage: string
  memoryEvents: string
  // Written once per group; some files are missing on a kernel without swap.
  memoryOnce: (bytes: number) => Record<string, string>
  processor: (quotaUs: number | undefined) => [file: string, text: string]
}

export const periodUs = 100_000

const v1: Dialect = {
  name: 'v1',
  memoryLimit: 'memory.limit_in_bytes',
  memoryUsage: 'memory.usage_in_bytes',
  memoryEvents: 'memory.oom_control',
  memoryOnce: (bytes) => ({ 'memory.memsw.limit_in_bytes': String(bytes) }),
  processor: (quotaUs) => ['cpu.cfs_quota_us', String(quotaUs ?? -1)],
}

const v2: Dialect = {
  name: 'v2',
  memoryLimit: 'memory.max',
  memoryUsage: 'memory.current',
  memoryEvents: 'memory.events',
  memoryOnce: () => ({ 'memory.swap.max': '0', 'memory.oom.group': '1' }),
  processor: (quotaUs) => ['cpu.max', `${quotaUs ?? 'max'} ${periodUs}`],
}

// Folders where groups can be created, by controller: one folder for all in v2, one for each in v1.
export type ControlGroupLocation = { dialect: Dialect; folders: Partial<Record<Controller, string>> }

// --- Location -------------------------------------------------------------------------------------------------------

// The engine's processes move into a group of this name, next to the groups of its apps, because in v2 a group with
// child groups may not contain processes.
const ownName = 'millrace'

type Hierarchy = { counts: readonly string[]; own: string; unified: boolean }

/** `memberships`: /proc/self/cgroup. `mounts`: /proc/self/mountinfo. */
export const readHierarchies = (memberships: string, mounts: string): Hierarchy[] => {
  const mounted = mounts.split('\n').flatMap((line) => {
    const [location = '', kind = ''] = line.split(' - ')
    const [type, , options = ''] = kind.split(' ')
    const [, , , root = '', point = ''] = location.split(' ')
    return type === 'cgroup' || type === 'cgroup2' ? [{ type, root, point, options: options.split(',') }] : []
  })
  return memberships.split('\n').flatMap((line) => {
    const [, counts = '', path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    const unified = counts === ''
    const names = counts.split(',')
    const mount = mounted.find(({ type, options }) =>
      unified ? type === 'cgroup2' : type === 'cgroup' && names.every((name) => options.includes(name)),
    )
    if (path === undefined || !mount || path.includes('/..')) return []
    const root = mount.root === '/' ? '' : mount.root
    if (path !== root && !path.startsWith(`${root}/`)) return []
    return [{ counts: names, own: join(mount.point, path.slice(root.length)).replace(/\/$/, ''), unified }]
  })
}

export const findLocation = (hierarchies: readonly Hierarchy[]): ControlGroupLocation | undefined => {
  const unified = hierarchies.find((hierarchy) => hierarchy.unified)
  const opened = unified && openUnified(unified.own)
  if (unified && opened && opened.length > 0) return { dialect: v2, folders: foldersOf(opened, baseOf(unified.own)) }
  const folders: ControlGroupLocation['folders'] = {}
  for (const { counts, own } of hierarchies)
    for (const controller of controllers) if (counts.includes(controller)) folders[controller] = baseOf(own)
  return Object.keys(folders).length > 0 ? { dialect: v1, folders } : undefined
}

const foldersOf = (counted: readonly Controller[], folder: string): ControlGroupLocation['folders'] =>
  Object.fromEntries(counted.map((controller) => [controller, folder]))

const baseOf = (own: string): string => (basename(own) === ownName ? dirname(own) : own)

// Controllers available for groups below this one. Processes in the group are first moved one level down.
const openUnified = (own: string): Controller[] => {
  const base = baseOf(own)
  const offered = wordsOf(join(base, 'cgroup.controllers'))
  if (!controllers.some((controller) => offered.includes(controller))) return []
  if (isCrowded(base) && own === base && mayRearrange(own)) moveDown(base)
  if (isCrowded(base)) return []
  enable(base)
  const enabled = wordsOf(join(base, 'cgroup.subtree_control'))
  return controllers.filter((controller) => enabled.includes(controller))
}

// With processes in the group, enabling the cpu or pids controller does not fail but turns the group into a threaded
// one, and then no process can enter its children. Only the root group, which has no type, may contain both.
const isCrowded = (base: string): boolean => read(join(base, 'cgroup.type')) !== undefined && pidsIn(base).length > 0

const enable = (base: string): void => {
  const has = wordsOf(join(base, 'cgroup.subtree_control'))
  const wanted = controllers.filter((name) => wordsOf(join(base, 'cgroup.controllers')).includes(name))
  for (const name of wanted) if (!has.includes(name)) attempt(join(base, 'cgroup.subtree_control'), `+${name}`)
}

// Root may reorganize any group, except that of a service which systemd did not delegate.
const mayRearrange = (own: string): boolean => process.geteuid?.() !== 0 || !own.endsWith('.service')

const moveRounds = 5

const moveDown = (base: string): void => {
  const target = join(base, ownName)
  if (!createFolder(target)) return
  for (let round = 0; round < moveRounds; round++)
    for (const pid of pidsIn(base)) attempt(join(target, 'cgroup.procs'), String(pid))
}

/**
 * Run by root for an engine of another user: creates a group in which the engine can create others, and moves the
 * engine into it. Returns the created folders, innermost first.
 */
export const handOverGroups = (pid: number, uid: number, location = findOwnLocation()): string[] => {
  const made: string[] = []
  for (const base of new Set(Object.values(location?.folders ?? {}))) {
    const outer = join(base, `engine-${uid}`)
    const inner = join(outer, ownName)
    if (!createFolder(outer) || !createFolder(inner)) continue
    made.push(inner, outer)
    if (location?.dialect === v2) enable(outer)
    for (const path of [outer, join(outer, 'cgroup.procs'), join(outer, 'cgroup.subtree_control')]) give(path, uid)
    attempt(join(inner, 'cgroup.procs'), String(pid))
  }
  return made
}

export const findOwnLocation = (): ControlGroupLocation | undefined =>
  findLocation(readHierarchies(read('/proc/self/cgroup') ?? '', read('/proc/self/mountinfo') ?? ''))

// --- Files of the kernel --------------------------------------------------------------------------------------------

// A process or a group may disappear while it is read.
export const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const wordsOf = (path: string): string[] => (read(path) ?? '').split(/\s+/).filter(Boolean)
export const pidsIn = (folder: string): number[] => wordsOf(join(folder, 'cgroup.procs')).map(Number)

export const succeeds = (work: () => void, fine?: string): boolean => {
  try {
    work()
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === fine
  }
}

// Never creates a file: a missing one is a feature that this kernel does not have.
export const attempt = (path: string, text: string): boolean =>
  succeeds(() => {
    const file = openSync(path, constants.O_WRONLY)
    try {
      writeSync(file, text)
    } finally {
      closeSync(file)
    }
  })
export const createFolder = (path: string): boolean => succeeds(() => mkdirSync(path), 'EEXIST')
const give = (path: string, uid: number): boolean => succeeds(() => chownSync(path, uid, uid))
