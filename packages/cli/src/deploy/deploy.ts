// From a folder to a version of an app: read, discover, zip, upload, register.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deployBody } from '@millrace/contract/deploy-body'
import type { InfYml } from '@millrace/contract/inf-yml'
import { discoverSchema } from '@millrace/engine/discover'
import { hostEnvironment } from '@millrace/engine/settings'
import type { Api } from '../api/client.ts'
import { CliFailure } from '../failures.ts'
import { uploadFile } from '../files/upload.ts'
import { bundleFiles, schemaFiles, writeBundle } from './bundle.ts'
import { readManifest } from './manifest.ts'

export type DeployOptions = {
  readonly folder: string
  /** The active version stays. */
  readonly staged: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  say(line: string): void
}

export const deployFolder = async (api: Api, { folder, staged, env, say }: DeployOptions) => {
  const { manifest, notices } = await readManifest(folder)
  for (const notice of notices) say(`note: ${notice}`)
  say(`Reading the schemas of ${manifest.name}`)
  const discovered = await discover(folder, manifest, { env, say })
  const scratch = await mkdtemp(join(tmpdir(), 'millrace-deploy-'))
  try {
    const bundle = join(scratch, `${manifest.name}.zip`)
    const files = await bundleFiles(folder)
    await writeBundle(files, schemaFiles(discovered, manifest.default_function ?? 'run'), bundle)
    say(`Uploading ${files.length} files`)
    const { uri } = await uploadFile(api, bundle, { category: 'apps' })
    const app = await api.call('apps.deploy', {
      body: { ...deployBody(manifest, discovered, uri), ...(staged ? { preserve_current_version: true } : {}) },
    })
    return {
      ref: `${app.namespace}/${app.name}`,
      app_id: app.id,
      version_id: app.version?.id ?? '',
      version: app.version?.short_id ?? '',
      active: app.version_id === app.version?.id,
      functions: Object.keys(discovered.functions),
      warnings: app.version?.warnings ?? [],
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const shownLines = 20

const discover = async (folder: string, manifest: InfYml, { env, say }: Pick<DeployOptions, 'env' | 'say'>) => {
  const lines: string[] = []
  const discovered = await discoverSchema({
    folder,
    kernel: manifest.kernel,
    env: hostEnvironment(env),
    onLine: (line) => lines.push(line),
    // Installing may take minutes: its own words show that it goes on.
    onInstallLine: (line) => {
      lines.push(line)
      say(`  ${line}`)
    },
  }).catch((error: unknown) => {
    const told = (error as Error).message
    throw new CliFailure(`${told[0]?.toUpperCase() ?? ''}${told.slice(1)}`, {
      code: 'discovery_failed',
      details: lines.slice(-shownLines),
    })
  })
  if (Object.keys(discovered.functions).length === 0)
    throw new CliFailure('The app has no functions: its class App needs a public method', { code: 'discovery_failed' })
  return discovered
}
