// Holds the direction of imports: contract ← core ← rim ← features ← app ← main, no cycles between files, a feature's
// inside reached only through its service. Prints every offence and fails.
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const server = 'packages/server/src'
const rim = new Set(['db', 'bus', 'jobs', 'blobs', 'http', 'ws', 'keyring', 'mail', 'outbound', 'cel'])

const isSource = (path: string) =>
  /\.tsx?$/.test(path) && !/\.test\.ts$|\.testing\.ts$|\/testing\/|\.gen\.ts$/.test(path)

type Import = { from: string; to: string; typeOnly: boolean }

/** Imports between files of the repository; package names other than our own are nobody's business here. */
const importsOf = (path: string): Import[] => {
  const text = readFileSync(join(root, path), 'utf8')
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/gm,
  )
  return [...found].flatMap(([, type, named, dynamic]) => {
    const target = named ?? dynamic ?? ''
    const typeOnly = type !== undefined
    if (target.startsWith('.')) {
      const to = relative(root, resolve(root, dirname(path), target)).replaceAll('\\', '/')
      return [{ from: path, to, typeOnly }]
    }
    const own = /^@millrace\/(\w+)(?:\/(.+))?$/.exec(target)
    return own ? [{ from: path, to: `packages/${own[1]}/src/${own[2] ?? 'index'}.ts`, typeOnly }] : []
  })
}

const packageOf = (path: string) => /^packages\/(\w+)\//.exec(path)?.[1]

type Layer = { rank: number; name: string; feature?: string }

const layerOf = (path: string): Layer => {
  const [first = '', ...rest] = path.slice(server.length + 1).split('/')
  if (rest.length === 0)
    return first === 'main.ts' || first === 'program.ts'
      ? { rank: 5, name: 'main' }
      : { rank: rootRanks[first] ?? 4, name: first }
  if (first === 'core') return { rank: 1, name: 'core' }
  if (first === 'operator') return { rank: 4, name: 'operator' }
  if (rim.has(first)) return { rank: 2, name: first }
  return { rank: 3, name: first, feature: first }
}

/** Files beside main.ts: settings and version are leaves, the rest assembles. */
const rootRanks: Record<string, number> = { 'settings.ts': 0, 'version.ts': 0 }

const offence = ({ from, to }: Import): string | null => {
  const [source, target] = [packageOf(from), packageOf(to)]
  if (source !== undefined && target !== undefined && source !== target) {
    const allowed = target === 'contract' || (source === 'cli' && target === 'engine')
    return allowed ? null : `${source} may not import ${target}`
  }
  if (!from.startsWith(server) || !to.startsWith(server)) return null
  const [a, b] = [layerOf(from), layerOf(to)]
  if (a.rank < b.rank) return `${a.name} may not import ${b.name}`
  if (a.feature && b.feature && a.feature !== b.feature && !to.endsWith('/service.ts'))
    return `${a.feature} may import only the service of ${b.feature}`
  return null
}

const findCycle = (edges: Map<string, string[]>): string[] | null => {
  const done = new Set<string>()
  const visit = (path: string, trail: string[]): string[] | null => {
    const at = trail.indexOf(path)
    if (at >= 0) return [...trail.slice(at), path]
    if (done.has(path)) return null
    for (const next of edges.get(path) ?? []) {
      const cycle = visit(next, [...trail, path])
      if (cycle) return cycle
    }
    done.add(path)
    return null
  }
  for (const path of edges.keys()) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return null
}

const files = (await readdir(join(root, 'packages'), { recursive: true }))
  .map((path) => `packages/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.includes('/src/') && !path.includes('/node_modules/') && isSource(path))
const imports = files.flatMap(importsOf)
const problems = imports.flatMap((one) => {
  const problem = offence(one)
  return problem === null ? [] : [`${one.from} → ${one.to}: ${problem}`]
})
const runtimeEdges = Map.groupBy(
  imports.filter((one) => !one.typeOnly),
  (one) => one.from,
)
const cycle = findCycle(new Map([...runtimeEdges].map(([from, list]) => [from, list.map(({ to }) => to)])))
if (cycle) problems.push(`cycle: ${cycle.join(' → ')}`)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
console.log(`  ${files.length} files, ${imports.length} imports, no offence, no cycle`)
