// Deploys the generated app of a connector, and compares its functions with those of the active version.
import { readdir, readFile } from 'node:fs/promises'
import type { DeployApp } from '@millrace/contract/apps'
import type { Connector } from '@millrace/contract/connectors'
import { storeBytes } from '#content/files/service.ts'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { deployApp, findOwnVersion, zipFiles } from '../apps/service.ts'
import { type FunctionChanges, functionChanges } from './changes.ts'

type Version = NonNullable<DeployApp['version']>

export type Deployment = {
  name: string
  title: string
  description: string
  bundle: Buffer
  version: Version & { functions: NonNullable<Version['functions']> }
  hosts: string[]
  skipped: Connector['skipped']
  /** Undefined: a version that removes or changes functions waits for its promotion. */
  staged: boolean | undefined
}

/** The code of the template with the generated files. */
export const bundleOf = async (template: 'openapi' | 'npm', generated: Readonly<Record<string, string>>) => {
  const folder = new URL(`./bundles/${template}/`, import.meta.url)
  const files = new Map<string, string | Buffer>()
  for (const name of await readdir(folder)) files.set(name, await readFile(new URL(name, folder)))
  for (const [name, content] of Object.entries(generated)) files.set(name, content)
  return zipFiles(files)
}

const storeBundle = async (ctx: Ctx, { name, bundle }: Deployment): Promise<string> => {
  const content_type = 'application/zip'
  const file = await storeBytes(ctx, { body: bundle, filename: `${name}.zip`, content_type, category: 'apps' })
  return mediaUrl(ctx.settings.BASE_URL, file.media_key)
}

/** A version without functions that runs, flows and agents may use waits for a person. */
const mustWait = ({ removed, changed }: FunctionChanges): boolean => removed.length + changed.length > 0

/** A version that only reads the tools of a server offers nothing that callers may depend on. */
const isDiscovery = ({ metadata }: { metadata: Record<string, unknown> }): boolean =>
  (metadata.connector as { phase?: unknown } | undefined)?.phase === 'discovery'

export const deployConnector = async (ctx: Ctx, deployment: Deployment): Promise<Connector> => {
  const { name, title, description, version, hosts, skipped } = deployment
  const repository = await storeBundle(ctx, deployment)
  return ctx.tx(async (ctx) => {
    const before = await findOwnVersion(ctx, name)
    const compared = before === undefined || isDiscovery(before) ? {} : before.functions
    const changes = functionChanges(compared, version.functions)
    const staged = before !== undefined && (deployment.staged ?? mustWait(changes))
    const app = await deployApp(ctx, {
      name,
      ...(before === undefined ? { title, description } : {}),
      version: { ...version, repository },
      preserve_current_version: staged,
    })
    const functions = Object.keys(version.functions)
    return { app, functions, changes, staged, hosts, required_secrets: version.required_secrets ?? [], skipped }
  })
}
