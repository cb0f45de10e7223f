// The running server on an open platform: routes, jobs, listeners, and the order in which they stop.
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type LiveAccess, startAccess } from '#accounts/access/service.ts'
import { forgetLimits, limitsChannel } from '#accounts/plans/service.ts'
import { blobSettingsOf } from '#platform/blobs/open-blob-store.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { createUndo, type Undo } from '#platform/core/undo.ts'
import { listen } from '#platform/db/notify.ts'
import type { PersistentConnection } from '#platform/db/persistent-connection.ts'
import { serverAddress } from '#platform/fleet/address.ts'
import { addFleetFigures, isOldest } from '#platform/fleet/figures.ts'
import { joinFleet, type MembershipOptions } from '#platform/fleet/membership.ts'
import { placeOf } from '#platform/fleet/place.ts'
import { createBlocks, type LiveBlocks } from '#platform/http/block-requests.ts'
import { ownOrigins } from '#platform/http/cors.ts'
import { createMetrics, type Figure } from '#platform/http/metrics.ts'
import { createHttpServer } from '#platform/http/server.ts'
import { serviceRoutes } from '#platform/http/service-routes.ts'
import { startJobs } from '#platform/jobs/jobs.ts'
import { keyringChannel } from '#platform/keyring/rotation.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { version } from '#platform/settings/version.ts'
import { registerFigures } from '#surfaces/figures/figures.ts'
import { features, operations } from './app.ts'
import type { OpenPlatform } from './platform.ts'

export type RunningServer = {
  app: FastifyInstance
  /** Called after the app listens: starts parts that need a responding server. */
  listening(): Promise<void>
  /** Drains requests and streams, then stops jobs and listeners. The database stays open. */
  stop(): Promise<void>
}

export type ServerOptions = {
  /** Off in tests that run jobs manually. */
  runJobs?: boolean
  /** Joins the servers of the database; off in tests that need only one. */
  joins?: boolean
  /** Metrics of the surrounding process. */
  figures?: readonly Figure[]
}

const drainLimitMs = 20_000

/** If a part fails to start, the parts before it are stopped. */
export const createServer = async (open: OpenPlatform, options: ServerOptions): Promise<RunningServer> => {
  const undo = createUndo()
  try {
    return await startParts(open, options, undo)
  } catch (error) {
    await undo.all().catch((failure: unknown) => open.platform.log.warn({ err: failure }, 'a part did not stop'))
    throw error
  }
}

const startParts = async (open: OpenPlatform, options: ServerOptions, undo: Undo): Promise<RunningServer> => {
  const { platform, database, connectionString } = open
  const { log, settings } = platform
  const readiness = { stopping: false }
  const metrics = createMetrics()
  addFleetFigures(platform, metrics)
  for (const figure of options.figures ?? []) metrics.figure(figure)
  registerFigures(metrics, { database, log, gate: platform.gate, isExporter: () => isOldest(platform) })
  const access = startAccess(platform, ownOrigins(platform.settings))
  const blocks = await createBlocks(platform)
  const listener = await subscribeToChanges(open, access, blocks)
  await undo.add(listener.close)
  // A single server misses only notifications of its operator's commands, which use a local socket.
  if (isShared(settings)) access.trust(listener.ageMs)
  const app = await createHttpServer({
    platform,
    gate: access.gate,
    blocks,
    metrics,
    operations,
    routes: [
      serviceRoutes(platform, { metrics, readiness, version }),
      ...features.flatMap((feature) => feature.routes?.(platform, access.gate) ?? []),
    ],
  })
  await undo.add(() => app.close())
  const reclaim = async (): Promise<void> => {
    for (const feature of features) await feature.reclaim?.(platform)
  }
  const membership = options.joins ? await joinFleet(platform, await membershipOf(settings, reclaim)) : null
  if (membership) await undo.add(membership.leave)
  else await reclaim()
  const stops = await startFeatures(platform, undo)
  const runner =
    options.runJobs === false
      ? null
      : await startJobs(
          { pool: database.jobPool, connectionString },
          platform,
          Object.assign({}, ...features.map((feature) => feature.jobs?.(platform) ?? {})),
          features.flatMap((feature) => feature.crons?.(platform) ?? []),
        )
  const companions: (() => Promise<void>)[] = []
  return {
    app,
    listening: async () => {
      for (const feature of features) companions.push((await feature.listening?.(platform)) ?? (async () => {}))
    },
    stop: async () => {
      readiness.stopping = true
      // This server answers requests until the others have taken over.
      if (await membership?.drain().catch(() => false)) await sleep(settings.DRAIN_SECONDS * 1000)
      // The local engine reports its tasks while they finish, so the server stays up until the engine has ended.
      const taskDrainMs = settings.ENGINE_DRAIN_SECONDS * 1000 + drainLimitMs
      await Promise.all(companions.map((stop) => within(taskDrainMs, stop())))
      await within(drainLimitMs, drain(app))
      for (const stop of stops) await stop()
      await within(drainLimitMs, runner?.stop() ?? Promise.resolve())
      await listener.close()
      await membership?.leave().catch(() => undefined)
    },
  }
}

/** All at once; those that did start are stopped when another fails. */
const startFeatures = async (platform: Platform, undo: Undo): Promise<(() => Promise<void>)[]> => {
  const started = await Promise.allSettled(features.map((feature) => feature.start?.(platform)))
  const stops = started.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
  for (const stop of stops) await undo.add(stop)
  for (const one of started) if (one.status === 'rejected') throw one.reason
  return stops
}

/** Without a database of its own address there can be no second server. */
const isShared = ({ DATABASE_URL }: Settings): boolean => DATABASE_URL !== undefined

const membershipOf = async (settings: Settings, reclaim: () => Promise<void>): Promise<MembershipOptions> => ({
  row: {
    place: await placeOf(settings.DATA_DIR),
    address: serverAddress(settings),
    version,
    keeps_files_apart: blobSettingsOf(settings).s3 === undefined,
    keeps_key_apart: settings.MASTER_KEY === undefined,
    bus: settings.NATS_URL === undefined ? 'PostgreSQL' : 'NATS',
  },
  isOnlyOne: !isShared(settings),
  reclaim,
})

/** Urgent events for all servers use PostgreSQL with every kind of bus. */
const subscribeToChanges = (
  { platform, connectionString }: OpenPlatform,
  access: LiveAccess,
  blocks: LiveBlocks,
): Promise<PersistentConnection> => {
  const { keyring, log, settings } = platform
  const refreshKeys = (): void => {
    keyring.refresh().catch((error: unknown) => log.error({ err: error }, 'the keys could not be read again'))
  }
  return listen(
    connectionString,
    {
      ...access.channels,
      ...blocks.channels,
      [keyringChannel]: refreshKeys,
      [limitsChannel]: (teamId) => forgetLimits(platform, teamId),
    },
    {
      healthCheckMs: isShared(settings) ? 250 : 5_000,
      onLost: access.eventsLost,
      onBack: () => {
        access.eventsBack()
        blocks.reload()
        refreshKeys()
      },
      onError: (error) => log.warn({ err: error }, 'the notification connection broke'),
    },
  )
}

/** A kept-alive connection becomes idle only after its last answer: closing them once, at the start, is not enough. */
const drain = async (app: FastifyInstance): Promise<void> => {
  const timer = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close().finally(() => clearInterval(timer))
}

/** A client that never disconnects must not keep the server from stopping. */
const within = async (limitMs: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work.catch(() => undefined), limit])
  clearTimeout(timer)
}
