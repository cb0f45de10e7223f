// Checks that the lock file matches the package.json files. The setup installs with `npm install`, which would silently
// add missing entries; `npm ci` would refuse, but it also refuses a lock file from a registry mirror that has only some
// platforms.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

type Manifest = Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>>

const root = fileURLToPath(new URL('..', import.meta.url))
const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T

const { packages } = read<{ packages: Record<string, Manifest> }>('package-lock.json')
const folders = ['', ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)]

const wanted = ({ dependencies, devDependencies, optionalDependencies }: Manifest) => ({
  dependencies: dependencies ?? {},
  devDependencies: devDependencies ?? {},
  optionalDependencies: optionalDependencies ?? {},
})

const differing = folders.filter(
  (folder) => !isDeepStrictEqual(wanted(read<Manifest>(join(folder, 'package.json'))), wanted(packages[folder] ?? {})),
)
for (const folder of differing)
  console.error(`  package-lock.json does not match ${join(folder, 'package.json')}: run npm install`)
if (differing.length > 0) process.exit(1)
console.log(`  ${folders.length} packages`)
