// Deploys an app from a folder: reads the manifest, discovers functions, packs, uploads and registers a version.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { deployBody } from '@millrace/contract/deploy-body'
import type { InfYml } from '@millrace/contract/inf-yml'
import { discoverIn } from '@millrace/engine/discover'
import { handOver, handoverFolder } from '@millrace/engine/handover'
import { hostEnvironment } from '@millrace/engine/settings'
import type { Api } from '../api/client.ts'
import { CliFailure } from '../failures.ts'
import { uploadFile } from '../files/upload.ts'
import { bundleFiles, schemaFiles, writeBundle } from './bundle.ts'
import { readManifest } from './manifest.ts'

export type DeployOptions = {
  readonly folder: string
  /** The active version does not change. */
  readonly staged: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  say(line: string): void
}

export const deployFolder = async (api: Api, { folder, staged, env, say }: DeployOptions) => {
  const { manifest, notices } = await readManifest(folder)
  for (const notice of notices) say(`note: ${notice}`)
  const files = await bundleFiles(folder)
  say(`Reading the schemas of ${manifest.name}`)
  const handoverRoot = isOnThisMachine(api.url) ? handoverFolder(hostEnvironment(env)) : undefined
  const scratch = await mkdtemp(join(tmpdir(), 'millrace-deploy-'))
  try {
    const { schema, installed } = await discover(scratch, folder, manifest, { env, say })
    const bundle = join(scratch, `${manifest.name}.zip`)
    await writeBundle(files, schemaFiles(schema, manifest.default_function ?? 'run'), bundle)
    if (installed && handoverRoot !== undefined) await handOver(scratch, await checksumOf(bundle), handoverRoot)
    say(`Uploading ${files.length} files`)
    const { uri } = await uploadFile(api, bundle, { category: 'apps' })
    const app = await api.call('apps.deploy', {
      body: { ...deployBody(manifest, schema, uri), ...(staged ? { preserve_current_version: true } : {}) },
    })
    return {
      ref: `${app.namespace}/${app.name}`,
      app_id: app.id,
      version_id: app.version?.id ?? '',
      version: app.version?.short_id ?? '',
      active: app.version_id === app.version?.id,
      functions: Object.keys(schema.functions),
      default_function: manifest.default_function ?? 'run',
      warnings: app.version?.warnings ?? [],
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** An engine on the same machine can reuse the packages that were installed here. */
const isOnThisMachine = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(URL.parse(url)?.hostname ?? '')

const checksumOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const shownLines = 20

/** Leaves out what the installer has already shown and what the app printed about the same failure. */
export const failedDiscovery = (message: string, output: readonly string[], shown: ReadonlySet<string>): CliFailure => {
  const text = message
    .split('\n')
    .filter((line) => !shown.has(line.trim()))
    .join('\n')
  const isInMessage = (line: string) => text.includes(line.trim().replace(/^Error: /, ''))
  return new CliFailure(`${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`, {
    code: 'discovery_failed',
    details: output.filter((line) => !isInMessage(line)).slice(-shownLines),
  })
}

const discover = async (
  work: string,
  folder: string,
  manifest: InfYml,
  { env, say }: Pick<DeployOptions, 'env' | 'say'>,
) => {
  const output: string[] = []
  const shown = new Set<string>()
  const discovered = await discoverIn(work, {
    folder,
    kernel: manifest.kernel,
    env: hostEnvironment(env),
    onLine: (line) => output.push(line),
    // An installation can take minutes, so its output is shown as progress. pip repeats errors of git with an indent.
    onInstallLine: (line) => {
      if (line.trim() === '' || shown.has(line.trim())) return
      shown.add(line.trim())
      say(`  ${line}`)
    },
  }).catch((error: unknown) => {
    throw failedDiscovery((error as Error).message, output, shown)
  })
  if (Object.keys(discovered.schema.functions).length === 0)
    throw new CliFailure('The app has no functions; its class App needs a public method', { code: 'discovery_failed' })
  return discovered
}
