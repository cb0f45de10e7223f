// Work that must happen later is a row written in the same transaction as its cause; graphile-worker runs it.
import { EventEmitter } from 'node:events'
import { makeWorkerUtils, run, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Platform } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import { inWork } from '../db/work.ts'
import { freeAbandoned, type Life, showLife } from './life.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly jobs: Jobs
  }
}

export type JobOptions = {
  runAt?: Date
  maxAttempts?: number
  /** A second job with the same key replaces the first while that one waits. */
  key?: string
}

/** Writes the job row with the caller's handle, so it exists exactly when the transaction commits. */
export type Jobs = { add(db: Db, name: string, payload: Record<string, unknown>, options?: JobOptions): Promise<void> }

export const jobs: Jobs = {
  add: async (db, name, payload, options = {}) => {
    await sql`select graphile_worker.add_job(
      ${name}, ${JSON.stringify(payload)}::json, run_at => ${options.runAt?.toISOString() ?? null}::timestamptz,
      max_attempts => ${options.maxAttempts ?? null}::int, job_key => ${options.key ?? null}::text)`.execute(db)
  },
}

const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger((scope) => (level, message, meta) => {
    // The worker is chatty at info: its lines are ours at debug, its warnings and errors keep their level.
    const line = { ...scope, ...meta }
    if (level === 'error') log.error(line, message)
    else if (level === 'warning') log.warn(line, message)
    else log.debug(line, message)
  })

declare module '../core/feature.ts' {
  interface Feature {
    readonly jobs?: (platform: Platform) => Readonly<Record<string, JobHandler>>
    readonly crons?: (platform: Platform) => readonly CronJob[]
  }
}

/** A job's function. It may be run more than once: it must find out by itself whether the work is done. */
export type JobHandler = (payload: Record<string, unknown>) => Promise<void>

export type CronJob = { name: string; schedule: string; handler: JobHandler }

const asJob =
  (handler: JobHandler) =>
  (payload: unknown): Promise<void> =>
    inWork({ kind: 'job', tenant: null }, () => handler((payload ?? {}) as Record<string, unknown>))

/** A line of the crontab names its task without dots. */
const cronTask = (name: string): string => name.replaceAll('.', ':')

/** Creates the job tables; must run before anything adds a job. */
export const migrateJobs = async (pool: pg.Pool): Promise<void> => {
  const utils = await makeWorkerUtils({ pgPool: pool })
  try {
    await utils.migrate()
  } finally {
    await utils.release()
  }
}

const lookForAbandonedMs = 5_000

export type JobRunner = { stop(): Promise<void> }

export const startJobs = async (
  { pool, connectionString }: { pool: pg.Pool; connectionString: string },
  log: Logger,
  handlers: Record<string, JobHandler>,
  crons: readonly CronJob[],
): Promise<JobRunner> => {
  const taskList: TaskList = {}
  for (const [name, handler] of Object.entries(handlers)) {
    taskList[name] = asJob(handler)
  }
  for (const { name, handler } of crons) taskList[cronTask(name)] = asJob(handler)
  let ownId = ''
  const takeBack = async (): Promise<void> => {
    const gone = await freeAbandoned(pool, ownId)
    if (gone.length > 0) log.info({ gone }, 'jobs of a server that is gone are taken up again')
  }
  await takeBack()
  // The library names each pool of workers itself, and locks jobs in that name.
  const events: WorkerEvents = new EventEmitter()
  let life: Promise<Life> | undefined
  events.on('pool:create', ({ workerPool }) => {
    ownId = workerPool.id
    life = showLife(connectionString, ownId, log)
  })
  const runner = await run({
    pgPool: pool,
    concurrency: 8,
    pollInterval: 2000,
    noHandleSignals: true,
    taskList,
    crontab: crons.map(({ name, schedule }) => `${schedule} ${cronTask(name)}`).join('\n'),
    logger: workerLogger(log),
    events,
  })
  await life
  const timer = setInterval(() => {
    takeBack().catch((error: unknown) =>
      log.warn({ err: error }, 'jobs of servers that are gone could not be looked for'),
    )
  }, lookForAbandonedMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await runner.stop()
      await (await life)?.close()
    },
  }
}
