// The small apps that come with Millrace: deployed as public apps of the platform's workspace at the first start and
// whenever their code changes. `npm run generate` writes the schemas beside them.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type DiscoveredApp, deployBody } from '@millrace/contract/deploy-body'
import type { InfYml } from '@millrace/contract/inf-yml'
import { awaitPlatformTeam } from '#accounts/identity/service.ts'
import { storeBytes } from '#content/files/service.ts'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import { zipFiles } from './bundle-zip.ts'
import { setStatus } from './changes.ts'
import { deployApp } from './deploy.ts'
import { countPlatformApps } from './shipped-store.ts'
import * as store from './store.ts'

const appsFolder = fileURLToPath(new URL('../../../../../apps/', import.meta.url))

/** Waits for the platform's workspace, which the first account creates, then updates the apps once. */
export const startShippedApps = async (platform: Platform): Promise<() => Promise<void>> => {
  const stopping = new AbortController()
  const work = (async () => {
    const ctx = await platformCtx(platform, stopping.signal)
    if (!ctx) return
    for (const name of await readdir(appsFolder)) {
      if (stopping.signal.aborted) return
      await deployShipped(ctx, join(appsFolder, name)).catch((error: unknown) =>
        platform.log.error({ err: error, app: name }, 'could not deploy a shipped app'),
      )
    }
  })().catch((error: unknown) => platform.log.error({ err: error }, 'could not deploy the shipped apps'))
  return async () => {
    stopping.abort()
    await work
  }
}

/**
 * Waits until all shipped apps are deployed, so that the creator of the first account can run one immediately. False
 * after the time limit.
 */
export const shippedAppsAreThere = async (db: Db, limitMs: number): Promise<boolean> => {
  const names = await readdir(appsFolder)
  for (const endMs = performance.now() + limitMs; performance.now() < endMs; await sleep(100)) {
    if ((await countPlatformApps(db, names)) >= names.length) return true
  }
  return false
}

const platformCtx = async (platform: Platform, stop: AbortSignal): Promise<Ctx<Member> | null> => {
  const team = await awaitPlatformTeam(platform, stop)
  return team && createCtx(platform, systemActor(team.id, team.owner_id))
}

const systemActor = (teamId: string, userId: string): Member => ({
  kind: 'system',
  credentialId: 'shipped-apps',
  userId,
  teamId,
  role: 'owner',
  isPerson: false,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  grant: { kind: 'everything' },
  platform: 'not_staff',
  inPlatformTeam: true,
  expiresAtMs: null,
})

const deployShipped = async (ctx: Ctx<Member>, folder: string): Promise<void> => {
  if (!(await stat(folder)).isDirectory()) return
  const { parse: parseYaml } = await import('yaml')
  const inf = parseYaml(await readFile(join(folder, 'inf.yml'), 'utf8')) as InfYml
  const bundle = await zipFolder(folder)
  const checksum = createHash('sha256').update(bundle).digest('hex')
  const known = await store.findAppByRef(ctx.db, 'millrace', inf.name)
  const [current] = known?.version_id ? await store.findVersionsByIds(ctx.db, [known.version_id]) : []
  if (current?.checksum !== checksum) {
    const discovered = JSON.parse(await readFile(join(folder, 'functions_schema.json'), 'utf8')) as DiscoveredApp
    const file = await storeBytes(ctx, {
      body: bundle,
      filename: `${inf.name}.zip`,
      content_type: 'application/zip',
      category: 'apps',
    })
    const repository = mediaUrl(ctx.settings.BASE_URL, file.media_key)
    await deployApp(ctx, deployBody(inf, discovered, repository), { visibility: 'public' })
    ctx.log.info({ app: inf.name }, 'shipped app deployed')
  }
  if (inf.kernel?.startsWith('python')) await followPython(ctx, inf.name)
}

const run = promisify(execFile)

/** Puts a Python app into maintenance on a host without Python, instead of failing every run. */
const followPython = async (ctx: Ctx<Member>, name: string): Promise<void> => {
  const app = await store.findAppByRef(ctx.db, 'millrace', name)
  if (!app) return
  const present = await run('python3', ['--version']).then(
    () => true,
    () => false,
  )
  const message = 'This host has no Python; install python3 and restart Millrace'
  if (!present && app.status === 'active') await setStatus(ctx, app.id, { status: 'maintenance', message })
  if (present && app.status === 'maintenance' && app.status_message === message)
    await setStatus(ctx, app.id, { status: 'active', message: '' })
}

const zipFolder = async (folder: string): Promise<Buffer> => {
  const paths = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isFile() && !entry.parentPath.includes('node_modules') && !entry.parentPath.includes('__pycache__'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
  const files = new Map<string, Buffer>()
  for (const path of paths) files.set(path.slice(folder.length + 1), await readFile(path))
  return zipFiles(files)
}
