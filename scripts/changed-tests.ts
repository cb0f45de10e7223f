// Selects the tests for a change: those of features with changed files, and of features that import a changed file. The
// import graph of the tests is of no use, because every server test starts the whole server.
import { spawnSync } from 'node:child_process'
import type { Import } from './imports.ts'
import { root } from './source-files.ts'

/** The folder of a feature or of a part of a package, or a folder next to the packages. */
export const featureFolderOf = (path: string): string => {
  const [first = '', second = '', third = '', ...inside] = path.split('/')
  if (first !== 'packages') return `${first}/`
  if (third !== 'src') return `${first}/${second}/`
  // Features of the server are one level deeper, in districts.
  const depth = second === 'server' && inside[0] !== 'testing' ? 2 : 1
  const folder = [first, second, third, ...inside.slice(0, depth)].join('/')
  return inside.length > depth ? `${folder}/` : folder
}

/** These check every operation, so any change of a feature may break them. */
const always = ['packages/server/src/start/policy.test.ts', 'packages/server/src/start/openapi.test.ts']

/** Nearly everything depends on these files. */
const foundations =
  /^packages\/server\/src\/(platform\/(core|db|tenancy)|testing)\/|^package(-lock)?\.json$|^vitest\.config\.ts$/

export type TestSelection = { readonly filters: readonly string[]; readonly everything: boolean }

export const testsFor = (changed: readonly string[], imports: readonly Import[]): TestSelection => {
  const code = changed.filter((path) => /\.(ts|tsx|mjs|sql|json)$/.test(path))
  if (code.some((path) => foundations.test(path) && !path.endsWith('.test.ts')))
    return { filters: [], everything: true }
  const touched = new Set(code)
  const folders = new Set(code.map(featureFolderOf))
  for (const { from, to } of imports) if (touched.has(to)) folders.add(featureFolderOf(from))
  const server = [...folders].some((folder) => folder.startsWith('packages/server/'))
  return { filters: [...folders, ...(server ? always : [])].sort(), everything: false }
}

const git = (...args: string[]): string[] =>
  spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.split('\n').filter(Boolean)

/** Since the branch left main: committed, uncommitted and untracked files. */
export const changedFiles = (): string[] => {
  const [base = 'HEAD'] = git('merge-base', 'HEAD', 'main')
  return [...new Set([...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')])]
}
