// Work that must happen later is a row written in the same transaction as its cause; graphile-worker runs it.
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeWorkerUtils, run, type TaskList, type WorkerEvents, Logger as WorkerLogger } from 'graphile-worker'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { Platform } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import type { HeldConnection } from '../db/held-connection.ts'
import { inWork } from '../fairness/work.ts'
import { freeAbandoned, showLife } from './life.ts'
import { patient } from './patient-pool.ts'

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
  /** Jobs of one queue run one after another. */
  queue?: string
}

/** Writes the job row with the caller's handle, so it exists exactly when the transaction commits. */
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
export type JobHandler = ((payload: Record<string, unknown>) => Promise<void>) & { readonly lane?: Lane }

/**
 * Lanes have workers of their own, so that one kind of work that hangs keeps no other waiting: `mail`, which people wait for;
 * `webhooks`, whose receivers may take their time; and the rest.
 */
export type Lane = 'mail' | 'webhooks' | 'rest'

const laneWorkers: Record<Lane, number> = { mail: 4, webhooks: 16, rest: 8 }

export const inLane = (lane: Lane, handler: (payload: Record<string, unknown>) => Promise<void>): JobHandler =>
  Object.assign(handler, { lane })

export type CronJob = { name: string; schedule: string; handler: JobHandler }

/** A job whose payload names a workspace (`team_id`) works for it, and within its shares. */
const asJob =
  (handler: JobHandler) =>
  (given: unknown): Promise<void> => {
    const payload = (given ?? {}) as Record<string, unknown>
    const tenant = typeof payload.team_id === 'string' ? payload.team_id : null
    return inWork({ kind: 'job', tenant }, () => handler(payload))
  }

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

/** New jobs are told of by the database. That the time of a later one has come is looked for, by one for all workers. */
const wakeMs = 2_000
/** A server that rests should rest: each worker that looks for itself is a statement of its own, and there are 28. */
const ownLookMs = 300_000

const dueJobs = sql`select 1 from graphile_worker._private_jobs where is_available and run_at <= now()`

const wakeWorkers = async (pool: pg.Pool): Promise<void> => {
  await pool.query(`select pg_notify('jobs:insert', json_build_object('count', $1::int)::text)`, [
    Math.max(...Object.values(laneWorkers)),
  ])
}

export type JobRunner = { stop(): Promise<void> }

type Database = { readonly pool: pg.Pool; readonly connectionString: string }

export const startJobs = async (
  database: Database,
  { log, rounds }: Pick<Platform, 'log' | 'rounds'>,
  handlers: Record<string, JobHandler>,
  crons: readonly CronJob[],
): Promise<JobRunner> => {
  const { pool } = database
  const ownIds = new Set<string>()
  const takeBack = async (): Promise<void> => {
    const gone = await freeAbandoned(pool, [...ownIds])
    if (gone.length > 0) log.info({ gone }, 'jobs of a server that is gone are taken up again')
  }
  await takeBack()
  const byLane = Map.groupBy(Object.entries(handlers), ([, handler]): Lane => handler.lane ?? 'rest')
  if (crons.length > 0 && !byLane.has('rest')) byLane.set('rest', [])
  const lanes: JobRunner[] = []
  const stopLanes = async (): Promise<void> => {
    await Promise.all(lanes.map((lane) => lane.stop()))
  }
  try {
    for (const [lane, jobs] of byLane)
      lanes.push(await startLane(database, log, { lane, jobs, crons: lane === 'rest' ? crons : [], ownIds }))
  } catch (error) {
    await stopLanes()
    throw error
  }
  const timer = setInterval(() => {
    takeBack().catch((error: unknown) =>
      log.warn({ err: error }, 'jobs of servers that are gone could not be looked for'),
    )
  }, lookForAbandonedMs)
  const stopRounds = rounds.add({
    name: 'jobs',
    due: () => [dueJobs],
    work: () => wakeWorkers(pool),
    everyMs: wakeMs,
  })
  return {
    stop: async () => {
      clearInterval(timer)
      await stopRounds()
      await stopLanes()
    },
  }
}

type LanePlan = {
  lane: Lane
  jobs: readonly [string, JobHandler][]
  crons: readonly CronJob[]
  /** Holds the name under which this lane locks jobs. */
  ownIds: Set<string>
}

const restartPauseMs = 1_000

/** Runs the jobs of a lane until it is stopped; a pool that the library has given up is followed by another. */
const startLane = async (database: Database, log: Logger, plan: LanePlan): Promise<JobRunner> => {
  const stopped = new AbortController()
  let pool = await startPool(database, log, plan)
  const watch = async (): Promise<void> => {
    for (;;) {
      const reason = await pool.ended
      if (stopped.signal.aborted) return
      log.error({ err: reason, lane: plan.lane }, 'the jobs of a lane stood still and are started again')
      await pool.close()
      while (!stopped.signal.aborted) {
        await sleep(restartPauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
        const next = await startPool(database, log, plan).catch((error: unknown) =>
          log.warn({ err: error, lane: plan.lane }, 'the jobs of a lane could not be started'),
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
  /** With what ended it, unless it was stopped. */
  readonly ended: Promise<unknown>
  /** Others may take what it had. */
  close(): Promise<void>
}

const startPool = async (
  { pool, connectionString }: Database,
  log: Logger,
  { lane, jobs, crons, ownIds }: LanePlan,
): Promise<Pool> => {
  const taskList: TaskList = {}
  for (const [name, handler] of jobs) taskList[name] = asJob(handler)
  for (const { name, handler } of crons) taskList[cronTask(name)] = asJob(handler)
  // The library names each pool of workers itself, and locks jobs in that name.
  const events: WorkerEvents = new EventEmitter()
  let life: Promise<HeldConnection> | undefined
  let ownId = ''
  events.on('pool:create', ({ workerPool }) => {
    ownId = workerPool.id
    ownIds.add(ownId)
    life = showLife(connectionString, ownId, log)
  })
  const close = async (): Promise<void> => {
    ownIds.delete(ownId)
    await (await life?.catch(() => undefined))?.close()
  }
  try {
    const runner = await run({
      pgPool: patient(pool),
      concurrency: laneWorkers[lane],
      pollInterval: ownLookMs,
      noHandleSignals: true,
      taskList,
      crontab: crons.map(({ name, schedule }) => `${schedule} ${cronTask(name)}`).join('\n'),
      logger: workerLogger(log),
      events,
    })
    const stop = (): Promise<void> => runner.stop().catch(() => undefined)
    await life?.catch(async (error: unknown) => {
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
