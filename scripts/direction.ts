// Holds the direction of imports: contract ← core ← rim ← features ← app ← main, no cycles between files (of types
// neither, but for those listed), a feature's inside reached only through its service, no service that hands its store on. Prints every offence and fails.
import { reexportedStores, typeCycles } from './exceptions.ts'
import { type Import, importsOf } from './imports.ts'
import { conclude, judge, sourceFiles } from './source-files.ts'

const server = 'packages/server/src'
const rim = new Set([
  'db',
  'bus',
  'jobs',
  'blobs',
  'http',
  'ws',
  'keyring',
  'mail',
  'outbound',
  'cel',
  'fleet',
  'tracing',
])

const packageOf = (path: string) => /^packages\/(\w+)\//.exec(path)?.[1]

type Layer = { rank: number; name: string; feature?: string }

const layerOf = (path: string): Layer => {
  const [first = '', ...rest] = path.slice(server.length + 1).split('/')
  if (rest.length === 0)
    return first === 'main.mjs' || first === 'program.ts'
      ? { rank: 5, name: 'main' }
      : { rank: rootRanks[first] ?? 4, name: first }
  if (first === 'core') return { rank: 1, name: 'core' }
  if (first === 'operator') return { rank: 4, name: 'operator' }
  if (rim.has(first)) return { rank: 2, name: first }
  return { rank: 3, name: first, feature: first }
}

/** Files beside main.mjs: settings and version are leaves, the rest assembles. */
const rootRanks: Record<string, number> = { 'settings.ts': 0, 'version.ts': 0 }

const offence = ({ from, to }: Import): string | null => {
  const [source, target] = [packageOf(from), packageOf(to)]
  if (source !== undefined && target !== undefined && source !== target) {
    const allowed = target === 'contract' || target === 'launch' || (source === 'cli' && target === 'engine')
    return allowed ? null : `${source} may not import ${target}`
  }
  if (!from.startsWith(server) || !to.startsWith(server)) return null
  const [a, b] = [layerOf(from), layerOf(to)]
  if (a.rank < b.rank) return `${a.name} may not import ${b.name}`
  if (a.feature && b.feature && a.feature !== b.feature && !to.endsWith('/service.ts'))
    return `${a.feature} may import only the service of ${b.feature}`
  return null
}

/** Groups of files of which each reaches all others (Tarjan), named by the files in alphabetical order. */
const findCycles = (imports: readonly Import[]): Map<string, string> => {
  const edges = Map.groupBy(imports, (one) => one.from)
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles = new Map<string, string>()
  const visit = (path: string): number => {
    order.set(path, order.size)
    lowest.set(path, order.size - 1)
    open.push(path)
    for (const { to } of edges.get(path) ?? []) {
      const reached = order.has(to) ? (open.includes(to) ? (order.get(to) ?? 0) : Number.POSITIVE_INFINITY) : visit(to)
      lowest.set(path, Math.min(lowest.get(path) ?? 0, reached))
    }
    const low = lowest.get(path) ?? 0
    if (low === order.get(path)) {
      const group = open.splice(open.indexOf(path)).sort()
      if (group.length > 1) cycles.set(group.join(' '), `${group.join(' ')}: these files name each other in a circle`)
    }
    return low
  }
  for (const path of edges.keys()) if (!order.has(path)) visit(path)
  return cycles
}

const isStore = (path: string): boolean => /(^|[/-])store\.ts$/.test(path)

const files = sourceFiles('packages').filter((path) => path.includes('/src/') && /\.(tsx?|mjs)$/.test(path))
const imports = files.flatMap(importsOf)
const offences = imports.flatMap((one) => {
  const problem = offence(one)
  return problem === null ? [] : [`${one.from} → ${one.to}: ${problem}`]
})
// Names that a service only hands on are its store's: the rules in between are missing.
const handedOn = new Map(
  imports.flatMap(({ from, to, handsOn }) =>
    handsOn && isStore(to)
      ? [[`${from} → ${to}`, `${from} hands on ${to}: a service is not a barrel of its store`] as const]
      : [],
  ),
)
const runtimeCycles = findCycles(imports.filter((one) => !one.typeOnly))
const allCycles = findCycles(imports)
conclude(
  [...offences, ...runtimeCycles.values(), ...judge(handedOn, reexportedStores), ...judge(allCycles, typeCycles)],
  `${files.length} files, ${imports.length} imports, no offence, no cycle at run time, ${allCycles.size} of types alone`,
)
