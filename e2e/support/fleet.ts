// Several real servers with one database and one file store, behind a balancer, with NATS if available; each with its
// own engine, and one additional engine. Can kill and freeze them, fail over the database, cut bus events, and start a
// newer version.
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StrictS3, startStrictS3 } from '../../packages/server/src/platform/blobs/testing/strict-s3.ts'
import { hasNats, type NatsServer, startNats } from '../../packages/server/src/platform/bus/testing/nats-server.ts'
import { createUndo, type Undo } from '../../packages/server/src/platform/core/undo.ts'
import { freePort, startTcpProxy, type TcpProxy } from '../../packages/server/src/testing/tcp-proxy.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import type { TestDatabase } from './database.ts'
import { type EngineProcess, startEngineProcess } from './engine.ts'
import { type SignedIn, signIn } from './operator.ts'
import { type ServerProcess, startServer } from './server.ts'

export type FleetMember = {
  readonly port: number
  readonly dataDir: string
  /** Direct, bypassing the balancer. */
  readonly url: string
  /** Its connection to NATS. */
  readonly cable: TcpProxy | null
  server: ServerProcess
  /** The output of earlier processes of this member. */
  printed: string
  /** True if it is expected to answer. */
  isUp: boolean
}

export type Fleet = {
  readonly database: TestDatabase
  readonly balancer: Balancer
  readonly members: readonly FleetMember[]
  readonly owner: SignedIn
  readonly headers: Record<string, string>
  readonly env: Readonly<Record<string, string>>
  readonly bus: 'NATS' | 'PostgreSQL'
  /** The additional engine. */
  readonly engine: EngineProcess
  /** Folders of all engines. */
  readonly engineFolders: readonly string[]
  remove(): Promise<void>
}

const startAt = (
  { port, dataDir, cable }: Pick<FleetMember, 'port' | 'dataDir' | 'cable'>,
  env: Readonly<Record<string, string>>,
  program?: string,
): Promise<ServerProcess> =>
  startServer({
    dataDir,
    env: { ...env, ...(cable && { NATS_URL: `nats://127.0.0.1:${cable.port}` }) },
    args: ['--port', String(port)],
    ...(program !== undefined && { program }),
  })

const envFor = (database: TestDatabase, { settings }: StrictS3, baseUrl: string): Record<string, string> => ({
  DATABASE_URL: database.url,
  BASE_URL: baseUrl,
  MASTER_KEY: randomBytes(32).toString('base64'),
  S3_ENDPOINT: settings.endpoint ?? '',
  S3_BUCKET: settings.bucket,
  S3_REGION: settings.region,
  S3_ACCESS_KEY_ID: settings.accessKeyId,
  S3_SECRET_ACCESS_KEY: settings.secretAccessKey,
  RATE_LIMIT_RUN: '0',
  RATE_LIMIT_GET_TASK: '0',
  ENGINE_CPU_WORKERS: '2',
  // Tasks are short, but a slow machine may need time to start their apps.
  ENGINE_DRAIN_SECONDS: '180',
  ENGINE_RUNTIME: 'process',
  ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  CHAT_MIN_BUSY_MS: '0',
  CONSOLE: 'false',
})

type Parts = { env: Record<string, string>; nats: NatsServer | null; undo: Undo }

const startMember = async (port: number, { env, nats, undo }: Parts): Promise<FleetMember> => {
  const cable = nats ? await startTcpProxy(Number(new URL(nats.url).port)) : null
  if (cable) await undo.add(cable.close)
  const base = { port, dataDir: await mkdtemp(join(tmpdir(), 'millrace-e2e-fleet-')), cable }
  const member = { ...base, url: `http://127.0.0.1:${port}`, server: await startAt(base, env), printed: '', isUp: true }
  // The current process, which may have replaced the first one.
  await undo.add(async () => {
    await member.server.kill()
    await member.server.remove()
  })
  return member
}

/** The first server migrates; the others start together. */
const startMembers = async (ports: readonly number[], parts: Parts): Promise<FleetMember[]> => {
  const [first = 0, ...others] = ports
  return [await startMember(first, parts), ...(await Promise.all(others.map((port) => startMember(port, parts))))]
}

const startExtraEngine = async (balancer: Balancer, headers: Record<string, string>): Promise<EngineProcess> => {
  const made = await fetch(`${balancer.url}/apikeys`, { method: 'POST', headers, body: '{"name":"engine"}' })
  const { data } = (await made.json()) as { data: { key: string } }
  return startEngineProcess({
    api_url: balancer.url,
    api_key: data.key,
    name: 'fourth',
    cpuWorkers: 2,
    allow_private_hosts: '127.0.0.1',
  })
}

export type FleetOptions = {
  size: number
  /** Removed with the fleet. */
  database: TestDatabase
  /** In addition to the common settings. */
  env?: Readonly<Record<string, string>>
}

export const startFleet = async (options: FleetOptions): Promise<Fleet> => {
  const undo = createUndo()
  try {
    return await openFleet(options, undo)
  } catch (error) {
    await undo.all()
    throw error
  }
}

const openFleet = async ({ size, database, env: more = {} }: FleetOptions, undo: Undo): Promise<Fleet> => {
  await undo.add(database.drop)
  const store = await startStrictS3()
  await undo.add(store.stop)
  const nats = hasNats() ? await startNats() : null
  if (nats) await undo.add(nats.stop)
  const ports = await Promise.all(Array.from({ length: size }, freePort))
  const balancer = await startBalancer(ports)
  await undo.add(balancer.close)
  const env = { ...envFor(database, store, balancer.url), ...more }
  const members = await startMembers(ports, { env, nats, undo })
  const owner = await signIn(members[0]?.dataDir ?? '', 'fleet@example.com', 'fleet', {
    ...env,
    ...(nats && { NATS_URL: nats.url }),
  })
  const headers = {
    authorization: `Bearer ${owner.session_token}`,
    'x-team-id': owner.team_id,
    'content-type': 'application/json',
  }
  const engine = await startExtraEngine(balancer, headers)
  await undo.add(engine.remove)
  return {
    database,
    balancer,
    members,
    owner,
    headers,
    env,
    bus: nats ? 'NATS' : 'PostgreSQL',
    engine,
    engineFolders: [engine.folder, ...members.map(({ dataDir }) => join(dataDir, 'engine'))],
    remove: undo.all,
  }
}

/** The reasons with which servers rejected requests. */
export const loggedRefusals = ({ members }: Fleet): string[] =>
  members
    .flatMap(({ printed, server }) => `${printed}${server.output()}`.split('\n'))
    .filter((line) => line.includes('request refused'))

export const untilUp = async ({ url }: FleetMember): Promise<void> => {
  while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await sleep(50)
}

export const kill = async ({ env }: Fleet, member: FleetMember, awayMs: number): Promise<void> => {
  member.isUp = false
  await member.server.kill()
  await sleep(awayMs)
  member.server = await startAt(member, env)
  member.isUp = true
}

/** Stops the server in order; its successor may be another version. */
export const replace = async ({ env }: Fleet, member: FleetMember, program?: string): Promise<void> => {
  member.isUp = false
  await member.server.stop()
  member.printed += member.server.output()
  member.server = await startAt(member, env, program)
  member.isUp = true
}

export const freeze = async (member: FleetMember, forMs: number): Promise<void> => {
  member.isUp = false
  process.kill(member.server.pid, 'SIGSTOP')
  await sleep(forMs)
  process.kill(member.server.pid, 'SIGCONT')
  await untilUp(member)
  member.isUp = true
}

/** A failover as seen by the servers: every connection breaks, and the database is read-only for a while. */
export const failOver = async ({ database }: Fleet, readOnlyMs: number): Promise<void> => {
  const name = (await database.query('select current_database() as name')).rows[0].name
  await database.query(`alter database ${name} set default_transaction_read_only = on`)
  await breakConnections(database, `pid <> pg_backend_pid()`)
  await sleep(readOnlyMs)
  // This connection is older than the failover and may still write.
  await database.query(`alter database ${name} set default_transaction_read_only = off`)
}

/** Cuts the bus between a server and the others for a while. With PostgreSQL as the bus, its connections only break. */
export const cutBus = async ({ database }: Fleet, { cable }: FleetMember, forMs: number): Promise<void> => {
  const reconnect = cable?.part()
  if (!reconnect) await breakConnections(database, `query like '%millrace_bus%' and pid <> pg_backend_pid()`)
  await sleep(forMs)
  reconnect?.()
}

const breakConnections = async (database: TestDatabase, which: string): Promise<void> => {
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and ${which}`,
  )
}
