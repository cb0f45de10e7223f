// Where control groups of Linux can be made, and what their files are called in its two dialects: below the engine's own
// group, so that whatever holds the engine holds its apps too.

import { chownSync, closeSync, constants, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export const controllers = ['memory', 'pids', 'cpu'] as const
export type Controller = (typeof controllers)[number]

type Dialect = {
  name: 'v1' | 'v2'
  memoryLimit: string
  memoryUsage: string
  memoryEvents: string
  // Written once; a kernel without swap lacks some.
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

// Where groups can be made, by what they count: one folder for all in v2, one for each in v1.
export type Place = { dialect: Dialect; folders: Partial<Record<Controller, string>> }

// --- Where ----------------------------------------------------------------------------------------------------------

// A group of this name holds the engine (and whoever came with it), and those of its apps lie beside it: a group that has
// groups of its own may hold no processes in v2.
const ownName = 'millrace'

type Hierarchy = { counts: readonly string[]; own: string; unified: boolean }

/** `memberships`: /proc/self/cgroup. `mounts`: /proc/self/mountinfo. */
export const readHierarchies = (memberships: string, mounts: string): Hierarchy[] => {
  const mounted = mounts.split('\n').flatMap((line) => {
    const [place = '', kind = ''] = line.split(' - ')
    const [type, , options = ''] = kind.split(' ')
    const [, , , root = '', point = ''] = place.split(' ')
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

export const findPlace = (hierarchies: readonly Hierarchy[]): Place | undefined => {
  const unified = hierarchies.find((hierarchy) => hierarchy.unified)
  const opened = unified && openUnified(unified.own)
  if (unified && opened && opened.length > 0) return { dialect: v2, folders: foldersOf(opened, baseOf(unified.own)) }
  const folders: Place['folders'] = {}
  for (const { counts, own } of hierarchies)
    for (const controller of controllers) if (counts.includes(controller)) folders[controller] = baseOf(own)
  return Object.keys(folders).length > 0 ? { dialect: v1, folders } : undefined
}

const foldersOf = (counted: readonly Controller[], folder: string): Place['folders'] =>
  Object.fromEntries(counted.map((controller) => [controller, folder]))

const baseOf = (own: string): string => (basename(own) === ownName ? dirname(own) : own)

// What groups below this one can count. Processes that are in the way move one step down.
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

// The kernel does not simply refuse: told to count processor time or threads below a group that holds processes, it makes that
// group one of threads, and then no process can enter those below. Only the machine's own group, which has no type, may hold both.
const isCrowded = (base: string): boolean => read(join(base, 'cgroup.type')) !== undefined && pidsIn(base).length > 0

const enable = (base: string): void => {
  const has = wordsOf(join(base, 'cgroup.subtree_control'))
  const wanted = controllers.filter((name) => wordsOf(join(base, 'cgroup.controllers')).includes(name))
  for (const name of wanted) if (!has.includes(name)) attempt(join(base, 'cgroup.subtree_control'), `+${name}`)
}

// Root may rearrange any group, also a service's that its manager has not handed over and starts programs in.
const mayRearrange = (own: string): boolean => process.geteuid?.() !== 0 || !own.endsWith('.service')

const moveRounds = 5

const moveDown = (base: string): void => {
  const target = join(base, ownName)
  if (!createFolder(target)) return
  for (let round = 0; round < moveRounds; round++)
    for (const pid of pidsIn(base)) attempt(join(target, 'cgroup.procs'), String(pid))
}

/**
 * By root, for an engine that is somebody else: a group of its own to make others in, and the engine inside it. Answers with
 * the folders that were made, innermost first.
 */
export const handOverGroups = (pid: number, uid: number, place = findOwnPlace()): string[] => {
  const made: string[] = []
  for (const base of new Set(Object.values(place?.folders ?? {}))) {
    const outer = join(base, `engine-${uid}`)
    const inner = join(outer, ownName)
    if (!createFolder(outer) || !createFolder(inner)) continue
    made.push(inner, outer)
    if (place?.dialect === v2) enable(outer)
    for (const path of [outer, join(outer, 'cgroup.procs'), join(outer, 'cgroup.subtree_control')]) give(path, uid)
    attempt(join(inner, 'cgroup.procs'), String(pid))
  }
  return made
}

export const findOwnPlace = (): Place | undefined =>
  findPlace(readHierarchies(read('/proc/self/cgroup') ?? '', read('/proc/self/mountinfo') ?? ''))

// --- Files of the kernel --------------------------------------------------------------------------------------------

// A process may end, and a group may go, while one looks.
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

// Nothing is created: a file that is not there is something this kernel does not know.
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
