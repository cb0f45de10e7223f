// Creates the parts that exist once per process, in the order of their dependencies.
import { newId } from '@millrace/contract/ids'
import type { Logger } from 'pino'
import { createGate } from '#accounts/access/service.ts'
import { blobSettingsOf, openBlobStore } from '#platform/blobs/open-blob-store.ts'
import { loadUploadKey } from '#platform/blobs/upload-key.ts'
import type { Bus } from '#platform/bus/bus.ts'
import { createMemoryBus } from '#platform/bus/memory.ts'
import { connectPostgresBus } from '#platform/bus/postgres.ts'
import { createSharedBus } from '#platform/bus/shared.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { createExtensions } from '#platform/core/extension-points.ts'
import { createUndo } from '#platform/core/undo.ts'
import { type DatabaseHandle, type Db, openDatabase } from '#platform/db/database.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createPeriodicTasks } from '#platform/db/periodic-tasks.ts'
import { applicationName, type ServerSelf } from '#platform/fleet/membership.ts'
import { installationId } from '#platform/fleet/store.ts'
import { createGeoDatabase } from '#platform/http/blocks/geo-database.ts'
import { jobs, migrateJobs } from '#platform/jobs/jobs.ts'
import { createKeyring, type Keyring } from '#platform/keyring/keyring.ts'
import { openMasterKeys } from '#platform/keyring/master-key.ts'
import { createMailer } from '#platform/mail/mailer.ts'
import { createOutbound } from '#platform/outbound/client.ts'
import { parsePrivateHosts } from '#platform/outbound/policy.ts'
import { isOnlyLocal, type Settings } from '#platform/settings/settings.ts'
import { noTracing, type Tracing } from '#platform/tracing/tracing.ts'
import { extensions, operations, sealedColumns, usageCounters } from './app.ts'

export type PlatformParts = {
  settings: Settings
  connectionString: string
  log: Logger
  now?: () => Date
  print?: (text: string) => void
  maxConnections?: number
  /** Communicates with the other servers of the database, if others are possible. */
  isServer?: boolean
  tracing?: Tracing
}

export type OpenPlatform = {
  platform: Platform
  database: DatabaseHandle
  /** For additional connections, which carry the server's name. */
  connectionString: string
  migrated: readonly string[]
  close(): Promise<void>
}

/** The ports of Millrace itself: the server with both its URLs, and its database. */
export const ownPortsOf = ({ PORT, BASE_URL, DATABASE_URL }: Settings): number[] => {
  const base = new URL(BASE_URL)
  const basePort = Number(base.port || (base.protocol === 'https:' ? 443 : 80))
  const databasePort = /@[^/?]*:(\d+)(?:[/?]|$)/.exec(DATABASE_URL ?? '')?.[1]
  return [PORT, basePort, Number(databasePort ?? 5432)]
}

/** Sets the server's name in the database's list of connections. */
const withName = (connectionString: string, name: string): string =>
  `${connectionString}${connectionString.includes('?') ? '&' : '?'}application_name=${encodeURIComponent(name)}`

/** Without an external database there is only one server. */
const openBus = async (
  { settings, connectionString, log, isServer = false }: PlatformParts,
  server: ServerSelf,
  { db, keyring }: { db: Db; keyring: Keyring },
): Promise<{ bus: Bus; close(): Promise<void> }> => {
  const onError = (error: unknown): void => log.error({ err: error }, 'an event listener failed')
  if (!isServer || settings.DATABASE_URL === undefined) return { bus: createMemoryBus(onError), close: async () => {} }
  const onBusError = (error: unknown): void => log.warn({ err: error }, 'events between servers are delayed')
  const isDraining = (): boolean => server.draining
  const options = { connectionString, serverId: server.id, isDraining, onError: onBusError }
  const { NATS_URL: url } = settings
  const bus = await createSharedBus({
    // Loaded on demand, because most installations do not use it.
    connect: async (receiver) => {
      if (url === undefined) return connectPostgresBus(options, receiver)
      const { connectNatsBus } = await import('#platform/bus/nats.ts')
      return connectNatsBus({ ...options, url, keyring, installation: await installationId(db) }, receiver)
    },
    onError,
  })
  return { bus, close: bus.close }
}

export const openPlatform = async (parts: PlatformParts): Promise<OpenPlatform> => {
  const { settings, log, now = () => new Date(), print = console.log } = parts
  const server: ServerSelf = { id: newId(), draining: false }
  const connectionString = withName(parts.connectionString, applicationName(server.id))
  const database = openDatabase(connectionString, {
    maxConnections: parts.maxConnections ?? 16,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  // A separate connection, opened on demand: inside a transaction, waiting for a pooled one could deadlock.
  const keyringDatabase = openDatabase(connectionString, {
    maxConnections: 1,
    onError: (error) => log.warn({ err: error }, 'database connection lost'),
  })
  const undo = createUndo()
  await undo.add(database.close)
  await undo.add(keyringDatabase.close)
  try {
    const migrated = await migrate(database.pool)
    await migrateJobs(database.jobPool)
    const masters = await openMasterKeys(database.db, settings)
    const keyring = createKeyring(masters, keyringDatabase.db)
    const blobs = await openBlobStore(blobSettingsOf(settings), {
      onLeftover: (key, error) => log.warn({ err: error, key }, 'a failed upload remains for the sweep'),
    })
    const uploadKey = await loadUploadKey(database.db, keyring)
    const outbound = createOutbound({
      allow: parsePrivateHosts(settings.ALLOW_PRIVATE_HOSTS.join(',')).allow,
      loopbackAllowed: isOnlyLocal(settings),
      ownPorts: ownPortsOf(settings),
    })
    await undo.add(outbound.close)
    const { bus, close: closeBus } = await openBus({ ...parts, connectionString }, server, {
      db: database.db,
      keyring,
    })
    await undo.add(closeBus)
    const platform: Platform = {
      settings,
      server,
      operations,
      gate: createGate(bus),
      db: database.db,
      bus,
      jobs,
      periodicTasks: createPeriodicTasks({ db: database.db, log, now }),
      keyring,
      sealedColumns,
      blobs,
      uploadKey,
      mailer: createMailer(settings, { log, print, now }),
      outbound,
      geo: createGeoDatabase({ cityDatabasePath: settings.CITY_DATABASE }),
      extensions: createExtensions(extensions),
      tracing: parts.tracing ?? noTracing,
      usage: usageCounters,
      log,
      now,
    }
    return { platform, connectionString, database, migrated, close: undo.all }
  } catch (error) {
    await undo.all().catch(() => undefined)
    throw error
  }
}
