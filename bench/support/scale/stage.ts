// Servers on one PostgreSQL with engines and signed-in workspaces, as many as fit on one machine.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type EngineProcess, localEnginePid, startEngineProcess } from '../../../e2e/support/engine.ts'
import { type SignedIn, signIn } from '../../../e2e/support/operator.ts'
import { type ServerProcess, startServer } from '../../../e2e/support/server.ts'
import { type StrictS3, startStrictS3 } from '../../../packages/server/src/platform/blobs/testing/strict-s3.ts'
import { createUndo, type Undo } from '../../../packages/server/src/platform/core/undo.ts'
import { startPostgres } from '../../../packages/server/src/platform/db/embedded/postgres.ts'
import { freePort } from '../../../packages/server/src/testing/tcp-proxy.ts'

export type StageOptions = {
  servers: number
  workspaces: number
  engines: number
  /** All workers together. */
  workers: number
  /** The engines of the servers, which serve every workspace, instead of engines of the workspace. */
  isShared: boolean
}

export type Stage = {
  urls: readonly string[]
  owners: readonly SignedIn[]
  /** Process ids by part, for processor times. The processes of apps are children of their engine. */
  pids: { servers: readonly number[]; postgres: number; engines: readonly number[] }
  remove(): Promise<void>
}

const databaseSettings = { max_connections: '500', shared_buffers: '512MB' }

export const headersOf = (owner: SignedIn): Record<string, string> => ({
  authorization: `Bearer ${owner.session_token}`,
  'x-team-id': owner.team_id,
  'content-type': 'application/json',
})

const untilInstalled = async (url: string, owner: SignedIn): Promise<void> => {
  while (!(await fetch(`${url}/apps/millrace/echo`, { headers: headersOf(owner) })).ok) await sleep(100)
}

const startEngineOf = async (url: string, owner: SignedIn, name: string, workers: number): Promise<EngineProcess> => {
  const made = await fetch(`${url}/apikeys`, {
    method: 'POST',
    headers: headersOf(owner),
    body: JSON.stringify({ name }),
  })
  const { data } = (await made.json()) as { data: { key: string } }
  return startEngineProcess({
    api_url: url,
    api_key: data.key,
    name,
    cpuWorkers: workers,
    allow_private_hosts: '127.0.0.1',
  })
}

const untilConnected = async (database: string, workers: number): Promise<void> => {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  const count = 'select count(*)::int as idle from workers w join engines e on e.id = w.engine_id where e.connected'
  while ((await client.query<{ idle: number }>(count)).rows[0]?.idle !== workers) await sleep(100)
  await client.end()
}

type Setup = { options: StageOptions; folder: string; database: string; s3: StrictS3; undo: Undo }

const environmentOf = ({ options, database, s3 }: Setup, baseUrl: string): Record<string, string> => ({
  DATABASE_URL: database,
  MASTER_KEY: randomBytes(32).toString('base64'),
  S3_ENDPOINT: s3.settings.endpoint ?? '',
  S3_BUCKET: s3.settings.bucket,
  S3_REGION: s3.settings.region,
  S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.settings.secretAccessKey,
  BASE_URL: baseUrl,
  RATE_LIMIT_RUN: '0',
  RATE_LIMIT_GET_TASK: '0',
  ENGINE: String(options.isShared),
  ENGINE_CPU_WORKERS: String(Math.ceil(options.workers / options.servers)),
  ENGINE_RUNTIME: 'process',
  ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  CONSOLE: 'false',
})

/** One after another, because the first one migrates the database. */
const startServers = async (setup: Setup, ports: readonly number[], env: Record<string, string>) => {
  const servers: ServerProcess[] = []
  for (const port of ports) {
    const dataDir = await mkdtemp(join(setup.folder, 'server-'))
    const server = await startServer({ dataDir, env, args: ['--port', String(port)] })
    await setup.undo.add(server.remove)
    servers.push(server)
  }
  return servers
}

const startEngines = async ({ options, undo }: Setup, urls: readonly string[], owner: SignedIn) => {
  const engines: EngineProcess[] = []
  for (let n = 0; n < (options.isShared ? 0 : options.engines); n += 1) {
    const url = urls[n % urls.length] ?? ''
    const engine = await startEngineOf(url, owner, `engine-${n}`, options.workers / options.engines)
    await undo.add(engine.remove)
    engines.push(engine)
  }
  return engines
}

const open = async (options: StageOptions, undo: Undo): Promise<Stage> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-scale-'))
  await undo.add(() => rm(folder, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir: folder, settings: databaseSettings })
  await undo.add(postgres.stop)
  const s3 = await startStrictS3()
  await undo.add(s3.stop)
  const setup = { options, folder, database: postgres.connectionString, s3, undo }
  const ports = await Promise.all(Array.from({ length: options.servers }, freePort))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const env = environmentOf(setup, urls[0] ?? '')
  const servers = await startServers(setup, ports, env)
  const owners: SignedIn[] = []
  for (let n = 0; n < options.workspaces; n += 1)
    owners.push(await signIn(servers[0]?.dataDir ?? '', `scale-${n}@example.com`, `scale-${n}`, env))
  const [owner] = owners
  if (!owner) throw new Error('A stage needs a workspace')
  await untilInstalled(urls[0] ?? '', owner)
  const engines = await startEngines(setup, urls, owner)
  await untilConnected(setup.database, options.workers)
  const local = await Promise.all(servers.map(({ dataDir }) => localEnginePid(dataDir)))
  const enginePids = [...engines.map(({ pid }) => pid), ...local.filter((pid) => pid !== null)]
  const pids = { servers: servers.map(({ pid }) => pid), postgres: postgres.pid, engines: enginePids }
  return { urls, owners, pids, remove: undo.all }
}

export const openStage = async (options: StageOptions): Promise<Stage> => {
  const undo = createUndo()
  try {
    return await open(options, undo)
  } catch (error) {
    await undo.all()
    throw error
  }
}
