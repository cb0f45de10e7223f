// Browser tests must match names exactly: `getByLabel('Text')` also matches "Context" and fails as soon as both are on
// the page. Regular expressions may match a part, because that is visible. Prints every violation and fails.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['e2e', 'bench', 'scripts']

/** A call with a name that is not a regular expression, up to its closing bracket. */
const calls = /\.getBy(?:Label\((?!\/|new RegExp)|Role\([^()]*\bname: (?!\/|new RegExp))[^()]*\)/g

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
)

const violations = files.flatMap((path) => {
  const text = readFileSync(join(root, path), 'utf8')
  return [...text.matchAll(calls)]
    .filter(([call]) => !call.includes('exact: true'))
    .map(({ 0: call, index }) => `${path}:${text.slice(0, index).split('\n').length} ${call.slice(1)}`)
})

for (const violationOf of violations) console.error(`${violationOf} needs exact: true`)
if (violations.length > 0) process.exit(1)
