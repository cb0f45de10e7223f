// The running server over an open platform: doors, jobs, listeners; and the order in which they stop.
import type { FastifyInstance } from 'fastify'
import { startAccess } from './access/service.ts'
import { features, operations } from './app.ts'
import { listen } from './db/notify.ts'
import { createBlocks } from './http/block-requests.ts'
import { ownOrigins } from './http/cors.ts'
import { createMetrics } from './http/metrics.ts'
import { createHttpServer } from './http/server.ts'
import { serviceRoutes } from './http/service-routes.ts'
import { noTracing, type Tracing } from './http/tracing.ts'
import { startJobs } from './jobs/jobs.ts'
import { keyringChannel } from './keyring/rotation.ts'
import type { OpenPlatform } from './platform.ts'
import { version } from './version.ts'

export type RunningServer = {
  app: FastifyInstance
  /** To be called once the app listens: starts what needs the server to answer. */
  listening(): Promise<void>
  /** Drains requests and streams, then ends jobs and listeners. The database stays open. */
  stop(): Promise<void>
}

export type ServerOptions = {
  connectionString: string
  tracing?: Tracing
  /** Off in tests that drive jobs by hand. */
  runJobs?: boolean
}

const drainLimitMs = 20_000

export const createServer = async (open: OpenPlatform, options: ServerOptions): Promise<RunningServer> => {
  const { platform, database } = open
  const { log } = platform
  const readiness = { stopping: false }
  const metrics = createMetrics()
  const access = startAccess(platform, ownOrigins(platform.settings))
  const blocks = await createBlocks(platform)
  const refreshKeys = (): void => {
    platform.keyring.refresh().catch((error: unknown) => log.error({ err: error }, 'the keys could not be read again'))
  }
  const listener = await listen(
    options.connectionString,
    { ...access.channels, ...blocks.channels, [keyringChannel]: refreshKeys },
    {
      onLost: access.newsLost,
      onBack: () => {
        access.newsBack()
        blocks.reload()
        refreshKeys()
      },
      onError: (error) => log.warn({ err: error }, 'the notification connection broke'),
    },
  )
  const app = await createHttpServer({
    platform,
    gate: access.gate,
    blocks,
    metrics,
    tracing: options.tracing ?? noTracing,
    operations,
    routes: [
      serviceRoutes(platform, { operations, metrics, readiness, version }),
      ...features.flatMap((feature) => feature.routes?.(platform, access.gate) ?? []),
    ],
  })
  const stops = await Promise.all(features.map((feature) => feature.start?.(platform)))
  const runner =
    options.runJobs === false
      ? null
      : await startJobs(
          { pool: database.jobPool, connectionString: options.connectionString },
          log,
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
      await Promise.all(companions.map((stop) => within(drainLimitMs, stop())))
      await within(drainLimitMs, drain(app))
      for (const stop of stops) await stop?.()
      await within(drainLimitMs, runner?.stop() ?? Promise.resolve())
      await listener.close()
    },
  }
}

/** A kept-alive connection becomes idle only after its last answer: closing them once, at the start, is not enough. */
const drain = async (app: FastifyInstance): Promise<void> => {
  const timer = setInterval(() => app.server.closeIdleConnections(), 50)
  await app.close().finally(() => clearInterval(timer))
}

/** A client that never lets go must not keep the server from stopping. */
const within = async (limitMs: number, work: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work.catch(() => undefined), limit])
  clearTimeout(timer)
}
