// Writes every generated file: the database types from the migrations, the OpenAPI document, the policy table, the index of
// decisions, the page of settings, the sizing table, and the clients' types from the operations.
// With --check it writes nothing and fails when a file differs.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { parse as parseYaml } from 'yaml'
import { startPostgres } from '../packages/server/src/platform/db/embedded/postgres.ts'
import { generateTypes } from '../packages/server/src/platform/db/generate-types.ts'
import { migrate } from '../packages/server/src/platform/db/migrate.ts'
import { type ContractModules, operationHelpText, operationTypesText, schemaModulesText } from './operation-types.ts'
import { type Measured, withResult } from './scale.ts'
import { settingsPage } from './settings-page.ts'
import { unicodeClassesText } from './unicode-classes.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const checking = process.argv.includes('--check')
const stale: string[] = []

const put = async (path: string, text: string): Promise<void> => {
  const before = await readFile(join(root, path), 'utf8').catch(() => '')
  if (before === text) return
  if (checking) stale.push(path)
  else {
    await writeFile(join(root, path), text)
    console.log(`wrote ${path}`)
  }
}

const databaseTypes = async (): Promise<string> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-generate-'))
  const postgres = await startPostgres({ dataDir })
  const pool = new pg.Pool({ connectionString: postgres.connectionString })
  // A connection that is still closing reports that PostgreSQL stops; that error has no effect.
  pool.on('error', () => {})
  try {
    await migrate(pool)
    const client = await pool.connect()
    try {
      return await generateTypes(client)
    } finally {
      client.release()
    }
  } finally {
    await pool.end()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The schemas of the apps in this repository. A Python app needs an installed Python. */
const appSchemas = async (): Promise<void> => {
  const { discoverSchema } = await import('@millrace/engine/discover')
  for (const name of await readdir(join(root, 'apps'))) {
    const folder = join(root, 'apps', name)
    const { kernel } = parseYaml(await readFile(join(folder, 'inf.yml'), 'utf8')) as { kernel?: string }
    if (kernel?.startsWith('python') && spawnSync('python3', ['--version']).status !== 0) continue
    const schema = await discoverSchema({ folder, kernel, env: { PATH: process.env.PATH ?? '' } })
    await put(`apps/${name}/functions_schema.json`, `${JSON.stringify(schema, null, 2)}\n`)
  }
}

/** Everything the contract exports, so that a generated type can name a schema instead of repeating it. */
const contractModules = async (): Promise<ContractModules> => {
  const folder = join(root, 'packages/contract/src')
  const files = (await readdir(folder)).filter((name) => /^[\w-]+\.ts$/.test(name))
  const loaded = files.map(async (name) => [name.slice(0, -3), await import(join(folder, name))] as const)
  return Object.fromEntries(await Promise.all(loaded))
}

/** The sizing page, from the latest measurements in docs/scale.json. */
const scalePage = async (): Promise<string> => {
  const measured = JSON.parse(await readFile(join(root, 'docs/scale.json'), 'utf8')) as Measured
  return withResult(await readFile(join(root, 'docs/scale.md'), 'utf8'), measured)
}

/** The index of the decision records, from their titles. */
const decisionsIndex = async (): Promise<string> => {
  const folder = join(root, 'docs/decisions')
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.md$/.test(name)).sort()
  const rows = names.map(async (name) => {
    const title = (await readFile(join(folder, name), 'utf8')).split('\n', 1)[0] ?? ''
    return `| [${name.slice(0, 4)}](${name}) | ${title.replace(/^# (?:\d+[.:]? *)?/, '')} |`
  })
  const head = `# Decisions

Each record explains one design decision that the code alone does not explain: its context, the decision, its consequences and, where
available, measurements and rejected alternatives. A record describes the current design. When a decision changes, its record is
rewritten or removed. \`npm run generate\` writes this page from the titles.

| number | decision |
|---|---|`
  return `${[head, ...(await Promise.all(rows))].join('\n')}\n`
}

/** From the table that the server reads. Imported lazily, like the other parts of the server. */
const settingsText = async (): Promise<string> => {
  const { settingTable } = await import('../packages/server/src/platform/settings/settings.ts')
  return settingsPage(settingTable)
}

const classesPath = 'packages/server/src/platform/core/unicode-classes.gen.ts'
await put(classesPath, unicodeClassesText(await readFile(join(root, classesPath), 'utf8').catch(() => '')))
await put('packages/server/src/platform/db/schema.gen.ts', await databaseTypes())
// Imported lazily: the operations need the types that were just written.
await put('packages/contract/src/schemas.gen.ts', schemaModulesText(await contractModules()))
const { openApiText } = await import('../packages/server/src/start/openapi-file.ts')
const { policyText } = await import('../packages/server/src/start/policy-file.ts')
const { operations } = await import('../packages/server/src/start/app.ts')
await put('docs/openapi.json', openApiText())
await put('packages/server/src/start/policy.txt', policyText())

await put('packages/contract/src/operations.gen.ts', operationTypesText(operations, await contractModules()))
await put('packages/contract/src/operation-help.gen.ts', operationHelpText(operations))

await appSchemas()
await put('docs/settings.md', await settingsText())
await put('docs/decisions/README.md', await decisionsIndex())
await put('docs/scale.md', await scalePage())

if (stale.length > 0) {
  console.error(`Out of date, run \`npm run generate\`: ${stale.join(', ')}`)
  process.exitCode = 1
}
