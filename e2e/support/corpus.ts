// Checks one app of a catalogue in four steps: manifest, load, schemas and run.
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { InfYml } from '@millrace/contract/inf-yml'
import { type Discovered, discoverIn } from '@millrace/engine/discover'
import { bundleFiles, schemaFiles, writeBundle } from '../../packages/cli/src/deploy/bundle.ts'
import { readManifest } from '../../packages/cli/src/deploy/manifest.ts'
import { CliFailure } from '../../packages/cli/src/failures.ts'
import type { World } from '../../packages/engine/src/testing/world.ts'
import { NeedsFile, sampleOf } from './sample-input.ts'

export type Step = 'manifest' | 'load' | 'schema' | 'run'
export type Outcome = { step: Step; result: 'passed' | 'skipped' | 'different' | 'failed'; reason: string }
export type Corpus = { world: World; env: Record<string, string> }

type Schemas = Discovered['schema']

/** Folders with an inf.yml, at any depth. */
export const appFolders = async (folder: string): Promise<string[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter(({ name, parentPath }) => name === 'inf.yml' && !parentPath.includes('node_modules'))
    .map(({ parentPath }) => relative(folder, parentPath))
    .sort()
}

export const checkApp = async (folder: string, { world, env }: Corpus): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  const add = (step: Step, result: Outcome['result'], reason = '') => outcomes.push({ step, result, reason })
  const manifest = await readManifest(folder).catch((error: unknown) => void add('manifest', 'failed', textOf(error)))
  if (!manifest) return outcomes
  add('manifest', 'passed')
  const work = await mkdtemp(join(tmpdir(), 'millrace-corpus-'))
  try {
    const schema = await load(work, folder, manifest.manifest, env).catch(
      (error: unknown) => void add('load', isMissing(textOf(error)) ? 'skipped' : 'failed', textOf(error)),
    )
    if (!schema) return outcomes
    add('load', 'passed')
    for (const isSame of await publishedSchemas(folder, schema)) add('schema', isSame ? 'passed' : 'different')
    outcomes.push(await run(work, folder, { manifest: manifest.manifest, schema, world }))
    return outcomes
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const textOf = (error: unknown): string =>
  error instanceof CliFailure ? [error.message, ...error.details].join('; ') : (error as Error).message

/** Packages or an interpreter that this machine does not have prove nothing about the app. */
const isMissing = (text: string): boolean =>
  /packages of this app could not be installed|has no Python|ModuleNotFoundError|Cannot find package/.test(text)

const load = async (
  work: string,
  folder: string,
  { kernel }: InfYml,
  env: Record<string, string>,
): Promise<Schemas> => {
  // A deploy reports broken links before it reads the code.
  await bundleFiles(folder)
  return (await discoverIn(work, { folder, kernel, env })).schema
}

/** Compares with the schemas that the app was published with, if its folder has them. */
const publishedSchemas = async (folder: string, { functions }: Schemas): Promise<boolean[]> => {
  const text = await readFile(join(folder, 'functions_schema.json'), 'utf8').catch(() => '{}')
  const published = JSON.parse(text) as Record<string, { input_schema?: unknown; output_schema?: unknown }>
  return Object.entries(published).flatMap(([name, one]) =>
    (['input_schema', 'output_schema'] as const).flatMap((kind) =>
      one[kind] ? [isDeepStrictEqual(functions[name]?.[kind], one[kind])] : [],
    ),
  )
}

type Runnable = { manifest: InfYml; schema: Schemas; world: World }

const run = async (work: string, folder: string, { manifest, schema, world }: Runnable): Promise<Outcome> => {
  const skipped = (reason: string): Outcome => ({ step: 'run', result: 'skipped', reason })
  const required = [...(manifest.secrets ?? []), ...(manifest.credentials ?? manifest.integrations ?? [])]
  if (required.some(({ optional }) => !optional)) return skipped('needs a key')
  if ((manifest.resources?.gpu?.count ?? 0) > 0) return skipped('needs a GPU')
  const name = manifest.default_function ?? 'run'
  const target = schema.functions[name] ?? Object.values(schema.functions)[0]
  if (target?.kind !== 'run') return skipped('needs a live caller')
  try {
    const input = sampleOf(target.input_schema) as Record<string, unknown>
    const archive = join(work, 'bundle.zip')
    await writeBundle(await bundleFiles(folder), schemaFiles(schema, name), archive)
    const { repository, checksum } = world.server.bundle(await readFile(archive))
    const id = createHash('sha256').update(folder).digest('hex').slice(0, 26)
    const app = { app_id: id, app_version_id: id, kernel: manifest.kernel ?? '', repository, checksum }
    const { type, error = '' } = await world.run(app, { function: target.name, input }).end
    if (type === 'task_completed') return { step: 'run', result: 'passed', reason: '' }
    return { step: 'run', result: /inside the engine/.test(error) ? 'failed' : 'different', reason: error }
  } catch (error) {
    if (error instanceof NeedsFile) return skipped('needs a file')
    return { step: 'run', result: 'failed', reason: textOf(error) }
  }
}
