// `npm run examples [-- files]`: runs the scenario tables and records one request and answer per operation for the API
// reference. Examples of operations that did not run are kept; those of removed operations are dropped.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operations } from '../packages/server/src/start/app.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = join(root, 'packages/server/src/platform/http/examples.json')
const folder = process.env.EXAMPLES_FOLDER ?? (await mkdtemp(join(tmpdir(), 'millrace-examples-')))

const filters = process.argv.slice(2)
const ran = spawnSync(
  process.execPath,
  [join(root, 'scripts/test.ts'), ...(filters.length > 0 ? filters : ['packages/server'])],
  { cwd: root, stdio: 'inherit', env: { ...process.env, EXAMPLES_FOLDER: folder } },
)

const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>) : {}
const names = new Set(operations.map(({ name }) => name))
for (const written of await readdir(folder).catch(() => []))
  kept[written.replace(/\.json$/, '')] = JSON.parse(await readFile(join(folder, written), 'utf8'))
const sorted = Object.entries(kept)
  .filter(([name]) => names.has(name))
  .sort(([a], [b]) => (a < b ? -1 : 1))
await writeFile(file, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
console.log(`${sorted.length} of ${names.size} operations have an example`)
const missing = [...names].filter((name) => !Object.hasOwn(kept, name)).sort()
if (missing.length > 0) console.log(`Without: ${missing.join(', ')}`)
if (process.env.EXAMPLES_FOLDER === undefined) await rm(folder, { recursive: true, force: true })
process.exitCode = ran.status ?? 1
