// Background jobs: a job is a row written in the transaction of its cause; graphile-worker runs it.
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeWorkerUtils, run, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Platform } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import type { PersistentConnection } from '../db/persistent-connection.ts'
import { inWork } from '../fairness/work.ts'
import { retryingPool } from './retrying-pool.ts'
import { freeAbandoned, lockRunner } from './runner-lock.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly jobs: Jobs
  }
}

export type JobOptions = {
  runAt?: Date
  maxAttempts?: number
  /** A second job with the same key replaces a waiting one. */
  key?: string
  /** Jobs of one queue run serially. */
  queue?: string
}

/** Inserts the job with the caller's handle, so it exists exactly if the transaction commits. */
export type Jobs = { add(db: Db, name: string, payload: Record<string, unknown>, options?: JobOptions): Promise<void> }

export const jobs: Jobs = {
  add: async (db, name, payload, options = {}) => {
    await sql`select graphile_worker.add_job(
      ${name}, ${JSON.stringify(payload)}::json, run_at => ${options.runAt?.toISOString() ?? null}::timestamptz,
      max_attempts => ${options.maxAttempts ?? null}::int, job_key => ${options.key ?? null}::text,
      queue_name => ${options.queue ?? null}::text)`.execute(db)
  },
}

const workerLogger = (log: Logger): WorkerLogger =>
  new WorkerLogger((scope) => (level, message, meta) => {
    // The library logs much at info level, so its info lines become debug.
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

/** A job's function. It may run more than once, so it must be idempotent. */
export type JobHandler = ((payload: Record<string, unknown>) => Promise<void>) & { readonly queue?: JobQueue }

/**
 * Each queue has its own workers, so that one kind of job that hangs does not delay others: `mail`, `webhooks` with
 * slow receivers, and the rest.
 */
export type JobQueue = 'mail' | 'webhooks' | 'rest'

const queueWorkers: Record<JobQueue, number> = { mail: 4, webhooks: 16, rest: 8 }

export const inJobQueue = (queue: JobQueue, handler: (payload: Record<string, unknown>) => Promise<void>): JobHandler =>
  Object.assign(handler, { queue })

export type CronJob = { name: string; schedule: string; handler: JobHandler }

/** A job with a `team_id` in its payload counts for that workspace. */
const asJob =
  (handler: JobHandler) =>
  (given: unknown): Promise<void> => {
    const payload = (given ?? {}) as Record<string, unknown>
    const tenant = typeof payload.team_id === 'string' ? payload.team_id : null
    return inWork({ kind: 'job', tenant }, () => handler(payload))
  }

/** Task names in a crontab cannot contain dots. */
const cronTask = (name: string): string => name.replaceAll('.', ':')

/** Creates the job tables; must run before a job is added. */
export const migrateJobs = async (pool: pg.Pool): Promise<void> => {
  const utils = await makeWorkerUtils({ pgPool: pool })
  try {
    await utils.migrate()
  } finally {
    await utils.release()
  }
}

const abandonedCheckMs = 5_000

/** PostgreSQL notifies of new jobs. Scheduled jobs that become due are polled, once for all workers. */
const wakeMs = 2_000
/** Each of the 28 workers polls with its own statement, so their interval is long. */
const workerPollMs = 300_000

const dueJobs = sql`select 1 from graphile_worker._private_jobs where is_available and run_at <= now()`

const wakeWorkers = async (pool: pg.Pool): Promise<void> => {
  await pool.query(`select pg_notify('jobs:insert', json_build_object('count', $1::int)::text)`, [
    Math.max(...Object.values(queueWorkers)),
  ])
}

export type JobRunner = { stop(): Promise<void> }

type Database = { readonly pool: pg.Pool; readonly connectionString: string }

export const startJobs = async (
  database: Database,
  { log, periodicTasks }: Pick<Platform, 'log' | 'periodicTasks'>,
  handlers: Record<string, JobHandler>,
  crons: readonly CronJob[],
): Promise<JobRunner> => {
  const { pool } = database
  const ownIds = new Set<string>()
  const takeBack = async (): Promise<void> => {
    const freed = await freeAbandoned(pool, [...ownIds])
    if (freed.length > 0) log.info({ gone: freed }, 'released jobs of a stopped server')
  }
  await takeBack()
  const byQueue = Map.groupBy(Object.entries(handlers), ([, handler]): JobQueue => handler.queue ?? 'rest')
  if (crons.length > 0 && !byQueue.has('rest')) byQueue.set('rest', [])
  const runners: JobRunner[] = []
  const stopRunners = async (): Promise<void> => {
    await Promise.all(runners.map((runner) => runner.stop()))
  }
  try {
    for (const [queue, jobs] of byQueue)
      runners.push(await startRunner(database, log, { queue, jobs, crons: queue === 'rest' ? crons : [], ownIds }))
  } catch (error) {
    await stopRunners()
    throw error
  }
  const timer = setInterval(() => {
    takeBack().catch((error: unknown) => log.warn({ err: error }, 'could not check for jobs of stopped servers'))
  }, abandonedCheckMs)
  const stopTask = periodicTasks.add({
    name: 'jobs',
    due: () => [dueJobs],
    work: () => wakeWorkers(pool),
    everyMs: wakeMs,
  })
  return {
    stop: async () => {
      clearInterval(timer)
      await stopTask()
      await stopRunners()
    },
  }
}

type RunnerPlan = {
  queue: JobQueue
  jobs: readonly [string, JobHandler][]
  crons: readonly CronJob[]
  /** Collects the names under which this queue locks jobs. */
  ownIds: Set<string>
}

const restartPauseMs = 1_000

/** Runs the jobs of a queue until stopped; restarts when the library gives up its pool. */
const startRunner = async (database: Database, log: Logger, plan: RunnerPlan): Promise<JobRunner> => {
  const stopped = new AbortController()
  let pool = await startPool(database, log, plan)
  const watch = async (): Promise<void> => {
    for (;;) {
      const reason = await pool.ended
      if (stopped.signal.aborted) return
      log.error({ err: reason, queue: plan.queue }, 'the workers of a job queue stopped and are restarted')
      await pool.close()
      while (!stopped.signal.aborted) {
        await sleep(restartPauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
        const next = await startPool(database, log, plan).catch((error: unknown) =>
          log.warn({ err: error, queue: plan.queue }, 'could not start the workers of a job queue'),
        )
        if (!next) continue
        pool = next
        break
      }
    }
  }
  const watching = watch()
  return {
    stop: async () => {
      stopped.abort()
      await pool.stop()
      await pool.close()
      await watching
    },
  }
}

type Pool = {
  stop(): Promise<void>
  /** Resolves with the error that ended it, or undefined if it was stopped. */
  readonly ended: Promise<unknown>
  /** Releases its locks, so that others can run its jobs. */
  close(): Promise<void>
}

const startPool = async (
  { pool, connectionString }: Database,
  log: Logger,
  { queue, jobs, crons, ownIds }: RunnerPlan,
): Promise<Pool> => {
  const taskList: TaskList = {}
  for (const [name, handler] of jobs) taskList[name] = asJob(handler)
  for (const { name, handler } of crons) taskList[cronTask(name)] = asJob(handler)
  // The library chooses the name of each pool and locks jobs with it.
  const events: WorkerEvents = new EventEmitter()
  let lockConnection: Promise<PersistentConnection> | undefined
  let ownId = ''
  events.on('pool:create', ({ workerPool }) => {
    ownId = workerPool.id
    ownIds.add(ownId)
    lockConnection = lockRunner(connectionString, ownId, log)
  })
  const close = async (): Promise<void> => {
    ownIds.delete(ownId)
    await (await lockConnection?.catch(() => undefined))?.close()
  }
  try {
    const runner = await run({
      pgPool: retryingPool(pool),
      concurrency: queueWorkers[queue],
      pollInterval: workerPollMs,
      noHandleSignals: true,
      taskList,
      crontab: crons.map(({ name, schedule }) => `${schedule} ${cronTask(name)}`).join('\n'),
      logger: workerLogger(log),
      events,
    })
    const stop = (): Promise<void> => runner.stop().catch(() => undefined)
    await lockConnection?.catch(async (error: unknown) => {
      await stop()
      throw error
    })
    return {
      stop,
      ended: runner.promise.then(
        () => undefined,
        (error: unknown) => error,
      ),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
