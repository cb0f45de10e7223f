// Guarantees: jobs of a killed server are run by another one soon, and jobs of a running server stay with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newId } from '@millrace/contract/ids'
import pino from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { inJobQueue, jobs, startJobs } from './jobs.ts'
import { freeAbandoned, lockRunner } from './runner-lock.ts'

let world: World
const children: ChildProcess[] = []

beforeAll(async () => {
  world = await createWorld()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world?.close()
})

const addJob = () => jobs.add(world.open.platform.db, 'hold', {})
const query = (text: string) => world.open.database.pool.query(text)
const lockedJobs = async () => (await query('select id from graphile_worker.jobs where locked_at is not null')).rowCount

/** Another server with a running job. */
const startRunner = async (): Promise<ChildProcess> => {
  const program = fileURLToPath(new URL('testing/runner.ts', import.meta.url))
  const child = spawn(process.execPath, [program, world.connectionString], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const taken = once(child.stdout, 'data')
  await addJob()
  await taken
  return child
}

/** The connections with a runner's lock. */
const signsOfLife = async (): Promise<number[]> => {
  const { rows } = await query(`select pid from pg_locks where locktype = 'advisory' and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`)
  return rows.map((row) => row.pid)
}

/** Waits for the lock of a new runner, then makes its running job look old. */
const untilShown = async (before?: number): Promise<number> => {
  for (;;) {
    const [shown] = await signsOfLife()
    if (shown !== undefined && shown !== before) {
      await query(`update graphile_worker._private_jobs set locked_at = locked_at - interval '10 seconds'
        where locked_by is not null`)
      return shown
    }
    await sleep(50)
  }
}

it('the job of a killed server is run by another, and the job of a running server is not', async () => {
  const other = await startRunner()
  await untilShown()
  expect(await freeAbandoned(world.open.database.pool)).toEqual([])
  expect(await lockedJobs()).toBe(1)

  const gone = once(other, 'exit')
  other.kill('SIGKILL')
  await gone
  let done = 0
  const hold = async () => {
    done += 1
  }
  const { connectionString } = world
  const runner = await startJobs(
    { pool: world.open.database.pool, connectionString },
    world.open.platform,
    { hold },
    [],
  )
  await until(async () => done > 0 && (await lockedJobs()) === 0)
  await runner.stop()
  expect(done).toBe(1)
})

it('a server whose lock connection broke locks again', async () => {
  const other = await startRunner()
  const before = await untilShown()
  await query(`select pg_terminate_backend(${before})`)
  await untilShown(before)
  expect(await freeAbandoned(world.open.database.pool)).toEqual([])
  other.kill('SIGKILL')
})

it('a server without its lock does not release its own jobs', async () => {
  await query('delete from graphile_worker._private_jobs')
  const role = `life_${newId()}`
  await query(`create role ${role} login password 'shown'`)
  const taken: (() => void)[] = []
  const hold = () => new Promise<void>((resolve) => taken.push(resolve))
  const connectionString = world.connectionString.replace(/\/\/[^@/]*@/, `//${role}:shown@`)
  const runner = await startJobs(
    { pool: world.open.database.pool, connectionString },
    world.open.platform,
    { hold },
    [],
  )
  await addJob()
  await until(() => taken.length > 0)
  const shown = await untilShown()
  await query(`alter role ${role} nologin`)
  await query(`select pg_terminate_backend(${shown})`)
  // Longer than the interval of the check for abandoned jobs.
  await sleep(8_000)
  for (const finish of taken) finish()
  await runner.stop()
  await query(`drop role ${role}`)
  expect(taken).toHaveLength(1)
})

it('the lock connection ends with the runner, also during a reconnect', async () => {
  const { pool } = world.open.database
  const life = await lockRunner(world.connectionString, 'runner', pino({ level: 'silent' }))
  const [shown] = (
    await query(`select pid, classid from pg_locks where locktype = 'advisory' and granted
    and objid = hashtext('runner')::oid`)
  ).rows
  const other = await pool.connect()
  const held = other.query(`select pg_advisory_lock(${shown.classid}, hashtext('runner'))`)
  const waiting = async () =>
    (await query(`select pid from pg_locks where locktype = 'advisory' and not granted`)).rows.length
  await until(async () => (await waiting()) > 0)
  await query(`select pg_terminate_backend(${shown.pid})`)
  await held
  await until(async () => (await waiting()) > 0)
  await life.close()
  await until(async () => (await waiting()) === 0)
  other.release(true)
})

it('a hanging job in one queue does not delay others', async () => {
  await query('delete from graphile_worker._private_jobs')
  const { db } = world.open.platform
  const hanging: (() => void)[] = []
  const hang = inJobQueue('webhooks', () => new Promise<void>((resolve) => hanging.push(resolve)))
  let done = 0
  const count = async () => {
    done += 1
  }
  for (let n = 0; n < 100; n += 1) await jobs.add(db, 'hang', {})
  await jobs.add(db, 'mail', {})
  await jobs.add(db, 'other', {})
  const { connectionString } = world
  const runner = await startJobs(
    { pool: world.open.database.pool, connectionString },
    world.open.platform,
    { hang, mail: inJobQueue('mail', count), other: async () => count() },
    [],
  )
  await until(() => done === 2)
  expect(hanging.length).toBeLessThan(100)
  await query(`delete from graphile_worker._private_jobs where locked_at is null`)
  const stopped = runner.stop()
  for (const finish of hanging) finish()
  await stopped
})

it('the completion of a job is retried after a broken connection', async () => {
  const { pool } = world.open.database
  const broken: string[] = []
  // The library takes a connection per statement; the first that marks a job as done fails.
  const fragile = new Proxy(pool, {
    get: (target, name) => {
      if (name !== 'connect') return Reflect.get(target, name, target)
      return async (listen?: Parameters<typeof target.connect>[0]) => {
        if (listen) return target.connect(listen)
        const client = await target.connect()
        return new Proxy(client, {
          get: (inner, name) => {
            const value = Reflect.get(inner, name, inner)
            if (name !== 'query') return typeof value === 'function' ? value.bind(inner) : value
            return (query: string | { text: string }, ...rest: unknown[]) => {
              const text = typeof query === 'string' ? query : query.text
              if (broken.length > 0 || !/^delete from .*_private_jobs/.test(text))
                return value.call(inner, query, ...rest)
              broken.push(text)
              return Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
            }
          },
        })
      }
    },
  })
  const runs: number[] = []
  const once = async () => {
    runs.push(1)
  }
  const runner = await startJobs(
    { pool: fragile, connectionString: world.connectionString },
    world.open.platform,
    { broken: once },
    [],
  )
  await jobs.add(world.open.platform.db, 'broken', {})
  const left = async () => (await query(`select 1 from graphile_worker.jobs where task_identifier = 'broken'`)).rowCount
  await until(async () => broken.length > 0 && (await left()) === 0)
  expect([runs, broken.length]).toEqual([[1], 1])
  await runner.stop()
})
