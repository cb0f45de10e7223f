// Checks the direction of imports: districts of the server by rank, packages by name, a feature only through its
// `service.ts` and `extension-points.ts`, no cycle between files or folders at run time, no service that re-exports its
// store. Prints every violation.
import { reexportedStores, typeCycles } from './exceptions.ts'
import { type Import, importsOf } from './imports.ts'
import { conclude, judge, sourceFiles } from './source-files.ts'

const server = 'packages/server/src/'

/** A file imports from its own district and from districts of a lower rank. */
const ranks: Record<string, number> = {
  platform: 0,
  accounts: 1,
  connections: 2,
  content: 2,
  money: 2,
  execution: 3,
  machines: 4,
  automation: 4,
  agents: 5,
  surfaces: 6,
  start: 7,
  testing: 8,
}

/** Folders of the platform that the other platform folders import. */
const leaves = new Set(['core', 'settings'])

const packageOf = (path: string) => /^packages\/(\w+)\//.exec(path)?.[1]

type ServerFolder = { readonly district: string; readonly folder: string }

const serverFolderOf = (path: string): ServerFolder => {
  const [district = '', folder = '', ...rest] = path.slice(server.length).split('/')
  return { district, folder: rest.length === 0 ? district : folder }
}

/** The reason why `from` may not import `to`; null if it may. */
const violationInServer = (from: ServerFolder, to: ServerFolder, path: string): string | null => {
  const [a, b] = [ranks[from.district], ranks[to.district]]
  if (a === undefined || b === undefined) return 'the district has no rank in scripts/direction.ts'
  if (from.district !== to.district)
    if (a <= b) return `${from.district} (rank ${a}) may not import ${to.district} (rank ${b})`
  if (from.folder === to.folder && from.district === to.district) return null
  if (to.district === 'platform')
    return from.district === 'platform' && leaves.has(from.folder) && !leaves.has(to.folder)
      ? `${from.folder} may not import ${to.folder}`
      : null
  const isFeature = ranks[to.district] !== undefined && to.district !== 'start' && to.district !== 'testing'
  return isFeature && from.district !== 'start' && !/\/(service|extension-points)\.ts$/.test(path)
    ? `${from.folder} may import only the service and the extension points of ${to.folder}`
    : null
}

const violationOf = ({ from, to }: Import): string | null => {
  const [source, target] = [packageOf(from), packageOf(to)]
  if (source !== undefined && target !== undefined && source !== target) {
    const allowed = target === 'contract' || target === 'launch' || (source === 'cli' && target === 'engine')
    return allowed ? null : `${source} may not import ${target}`
  }
  return from.startsWith(server) && to.startsWith(server)
    ? violationInServer(serverFolderOf(from), serverFolderOf(to), to)
    : null
}

/** Feature folders that import each other at run time. */
const findFolderCycles = (imports: readonly Import[]): Map<string, string> => {
  const folderOf = (path: string): string => {
    const { district, folder } = serverFolderOf(path)
    return `${district}/${folder}`
  }
  const edges = new Set(
    imports
      .filter(({ from, to, typeOnly }) => !typeOnly && from.startsWith(server) && to.startsWith(server))
      .map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`),
  )
  const cycles = new Map<string, string>()
  for (const edge of edges) {
    const [a = '', b = ''] = edge.split(' ')
    if (a < b && edges.has(`${b} ${a}`)) cycles.set(`${a} ${b}`, `${a} and ${b} import each other`)
  }
  return cycles
}

/** Strongly connected groups of files (Tarjan), named by their files in alphabetical order. */
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
      if (group.length > 1) cycles.set(group.join(' '), `${group.join(' ')}: these files import each other in a cycle`)
    }
    return low
  }
  for (const path of edges.keys()) if (!order.has(path)) visit(path)
  return cycles
}

const isStore = (path: string): boolean => /(^|[/-])store\.ts$/.test(path)

/** Production code: tests and test helpers may import any folder. */
const isTestCode = (path: string): boolean => path.endsWith('.test.ts') || path.includes('/testing/')

const files = sourceFiles('packages').filter((path) => path.includes('/src/') && /\.(tsx?|mjs)$/.test(path))
const imports = files.flatMap(importsOf)
const violations = imports.flatMap((one) => {
  const problem = isTestCode(one.from) ? null : violationOf(one)
  return problem === null ? [] : [`${one.from} → ${one.to}: ${problem}`]
})
// A service that only re-exports a name of its store adds no rule.
const reexported = new Map(
  imports.flatMap(({ from, to, reExports }) =>
    reExports && isStore(to)
      ? [[`${from} → ${to}`, `${from} re-exports ${to}: a service is not a barrel of its store`] as const]
      : [],
  ),
)
const runtimeCycles = findCycles(imports.filter((one) => !one.typeOnly))
const allCycles = findCycles(imports)
const folderCycles = findFolderCycles(imports.filter(({ from, to }) => !isTestCode(from) && !isTestCode(to)))
conclude(
  [
    ...violations,
    ...runtimeCycles.values(),
    ...judge(reexported, reexportedStores),
    ...judge(allCycles, typeCycles),
    ...folderCycles.values(),
  ],
  `${files.length} files, ${imports.length} imports, no violation, no cycle at run time between files or folders, ${allCycles.size} of types only`,
)
