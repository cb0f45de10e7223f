// Connections and the typed query builder. Each kind of work has its own pool with a time limit for statements and a
// maximum share per workspace. Every statement is sent by name, so PostgreSQL parses and plans it once per connection.
import { createHash } from 'node:crypto'
import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { createFairShare, type FairShare, type Holder, type Release, type ShareLimits } from '../fairness/fair-share.ts'
import { createLoadFactor } from '../fairness/load.ts'
import { currentWork, holderOf, type Work, type WorkKind } from '../fairness/work.ts'
import { NamedQuery } from './named-query.ts'
import { createPipeline } from './pipelining.ts'
import { closeReadOnlyClients, WatchedClient } from './read-only.ts'
import type { Database } from './schema.gen.ts'
import { createSharedReads, type SharedReads } from './shared-reads.ts'
import { spelledColumns } from './spelled-columns.ts'

export type Db = Kysely<Database> | Transaction<Database>

declare module '../core/ctx.ts' {
  interface Platform {
    readonly db: Db
  }
}

const { Pool, types } = pg

// Timestamps are read as text, because a JavaScript date would truncate microseconds.
const timestamptz = (text: string): string => {
  // The fast path: almost all have microseconds.
  if (text.length === 29 && text[19] === '.' && text.endsWith('+00'))
    return `${text.slice(0, 10)}T${text.slice(11, 26)}Z`
  const [whole = '', fraction = ''] = text.replace(' ', 'T').replace(/\+00$/, '').split('.')
  return `${whole}.${fraction.padEnd(6, '0')}Z`
}

const parsers: Record<number, (text: string) => unknown> = {
  [types.builtins.TIMESTAMPTZ]: timestamptz,
  // Counts and microcents stay far below 2^53.
  [types.builtins.INT8]: Number,
  [types.builtins.NUMERIC]: Number,
}

const maxNamedStatements = 2000
const names = new Map<string, string>()

export const statementName = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined) return known
  // Above this limit, statements are sent unnamed, because each connection keeps every named statement in memory.
  if (names.size >= maxNamedStatements) return undefined
  const name = createHash('sha1').update(text).digest('base64url')
  names.set(text, name)
  return name
}

type PoolOfKind = { readonly pool: pg.Pool; readonly shares: FairShare; readonly shared: SharedReads }
type Pools = Readonly<Record<WorkKind, PoolOfKind>>

const poolsOfDb = new WeakMap<Db, Pools>()

const transactionsOf = new WeakMap<Work, number>()

/** Records that this work holds a connection; the returned function removes the record. */
const beginTransaction = (work: Work): (() => void) => {
  const change = (by: number): void => void transactionsOf.set(work, (transactionsOf.get(work) ?? 0) + by)
  change(1)
  return () => change(-1)
}

/**
 * The holder whose share a statement uses. Work that already holds a connection does not wait for its tenant's share
 * when it needs another one: if the whole share waited like this, none would ever be released.
 */
const payerOf = (work: Work): Holder =>
  holderOf((transactionsOf.get(work) ?? 0) > 0 ? { ...work, tenant: null, person: null } : work)

type Query = {
  name: string | undefined
  text: string
  values: unknown[]
  /** Fast and read-only, so it can share a connection. */
  isShort?: boolean
}

/** The query in the driver's form; unnamed above the limit of names. */
const sendable = ({ name, text, values }: Query): pg.QueryConfig | NamedQuery =>
  name === undefined ? { text, values } : new NamedQuery({ name, text, values })

/** Runs one statement on a connection of the current work's pool; undefined inside a transaction, which has its own. */
export const queryInPool = <Row extends object>(db: Db, query: Query): Promise<Row[]> | undefined => {
  const pools = poolsOfDb.get(db)
  if (!pools) return undefined
  const work = currentWork()
  const ofKind = pools[work.kind]
  const turn = ofKind.shares.enterAs(payerOf(work))
  return typeof turn === 'function'
    ? queryAndRelease(ofKind, query, turn)
    : turn.then((release) => queryAndRelease(ofKind, query, release))
}

const queryAndRelease = async <Row extends object>(
  { pool, shared }: PoolOfKind,
  query: Query,
  release: Release,
): Promise<Row[]> => {
  const sent = sendable(query)
  try {
    const { rows } = await (query.isShort && sent instanceof NamedQuery
      ? shared(sent)
      : pool.query(sent as pg.QueryConfig))
    return rows as Row[]
  } finally {
    release()
  }
}

/** Statement timeouts. A list has a waiting client; a job may scan a whole table. */
export const statementLimitsMs: Readonly<Record<WorkKind, number>> = {
  request: 30_000,
  list: 10_000,
  job: 300_000,
  dispatch: 30_000,
}

/**
 * The dispatcher runs few long queries all the time, and planning them takes longer than running them, so it uses
 * generic plans. Elsewhere PostgreSQL decides, because an unused filter changes the plan.
 */
const planModes: Partial<Record<WorkKind, string>> = { dispatch: ' -c plan_cache_mode=force_generic_plan' }

const waitForConnectionMs = 10_000
const maxWaitingPerTenant = 2_000

/** In connections; an omitted limit equals the size of the pool. */
type ShareOfKind = {
  places: number
  /** For a workspace or a person while no other is present. */
  alone?: number
  /** For a workspace or a person while others are present. */
  underContention?: number
  person?: number
  /** The last connections, reserved for holders without any. */
  reserved?: number
}

/** By the size of the largest pool. */
const sharesOfKind: Readonly<Record<WorkKind, (all: number) => ShareOfKind>> = {
  request: (all) => ({
    places: all,
    alone: all * 0.75,
    underContention: all * 0.1875,
    person: all * 0.375,
    reserved: all * 0.125,
  }),
  list: (all) => ({
    places: all * 0.375,
    alone: all * 0.1875,
    underContention: all * 0.0625,
    person: all * 0.125,
    reserved: all * 0.0625,
  }),
  // As many as the workers of the largest job queue, so that none of them waits for a connection.
  job: (all) => ({ places: all, underContention: all * 0.25, person: all * 0.5 }),
  // The dispatcher queries waiting tasks and idle workers at the same time; periodic tasks query once per second.
  dispatch: () => ({ places: 2 }),
}

const atLeastOne = (share: number): number => Math.max(1, Math.round(share))

const openPoolOfKind = (
  connectionString: string,
  kind: WorkKind,
  onError: (error: Error) => void,
  limits: Omit<ShareLimits, 'maxWaiting' | 'waitMs' | 'busyDetail'>,
): PoolOfKind => {
  const pool = new Pool({
    connectionString,
    // Statements can be sent before the previous one is answered.
    pipeline: true,
    max: limits.places,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: waitForConnectionMs,
    options: `-c timezone=UTC -c datestyle=ISO -c idle_in_transaction_session_timeout=120000 -c statement_timeout=${statementLimitsMs[kind]}${planModes[kind] ?? ''}`,
    types: { getTypeParser: (oid, format) => parsers[oid] ?? types.getTypeParser(oid, format) },
    Client: WatchedClient,
  })
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', onError))
  closeReadOnlyClients(pool)
  const shares = createFairShare({
    ...limits,
    maxWaiting: maxWaitingPerTenant,
    waitMs: waitForConnectionMs,
    busyDetail: 'The database is busy; try again in a moment',
  })
  return { pool, shares, shared: createSharedReads(pool) }
}

export type DatabaseHandle = {
  readonly db: Kysely<Database>
  /** For parts that need connections themselves: migrations and the job library. */
  readonly pool: pg.Pool
  readonly jobPool: pg.Pool
  /** By kind of work. */
  readonly pools: Readonly<Record<WorkKind, pg.Pool>>
  close(): Promise<void>
}

export const openDatabase = (
  connectionString: string,
  { maxConnections = 16, onError }: { maxConnections?: number; onError: (error: Error) => void },
): DatabaseHandle => {
  // Connections of a closed pool may still break while they disconnect; that error has no effect.
  let closing = false
  const onTrouble = (error: Error): void => (closing ? undefined : onError(error))
  const room = createLoadFactor()
  const createPoolOfKind = (kind: WorkKind, shares: ShareOfKind): PoolOfKind => {
    const { alone = shares.places, underContention = alone, person = alone, reserved = 0 } = shares
    const part = (share: number): number => Math.max(1, Math.floor(atLeastOne(share) * room()))
    return openPoolOfKind(connectionString, kind, onTrouble, {
      places: atLeastOne(shares.places),
      perTenant: atLeastOne(alone),
      underContention: () => part(underContention),
      perPerson: atLeastOne(alone),
      personUnderContention: () => part(person),
      reserved: Math.round(reserved),
    })
  }
  const pools: Pools = {
    request: createPoolOfKind('request', sharesOfKind.request(maxConnections)),
    list: createPoolOfKind('list', sharesOfKind.list(maxConnections)),
    job: createPoolOfKind('job', sharesOfKind.job(maxConnections)),
    dispatch: createPoolOfKind('dispatch', sharesOfKind.dispatch(maxConnections)),
  }
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: namedStatements(pools) }),
    plugins: [spelledColumns],
  })
  poolsOfDb.set(db, pools)
  return {
    db,
    pool: pools.request.pool,
    jobPool: pools.job.pool,
    pools: {
      request: pools.request.pool,
      list: pools.list.pool,
      job: pools.job.pool,
      dispatch: pools.dispatch.pool,
    },
    close: async () => {
      closing = true
      await db.destroy()
      // The query builder does not close a pool that it never used.
      await Promise.all(Object.values(pools).map(({ pool }) => (pool.ending ? undefined : pool.end())))
    },
  }
}

type DialectPool = Exclude<ConstructorParameters<typeof PostgresDialect>[0]['pool'], (...args: never[]) => unknown>

/** All pools as one pool for the query builder; statements with values are sent by name. */
const namedStatements = (pools: Pools): DialectPool => ({
  options: pools.request.pool.options,
  connect: async () => {
    const work = currentWork()
    const { pool, shares } = pools[work.kind]
    const release = await shares.enterAs(payerOf(work))
    const ended = beginTransaction(work)
    const client = await pool.connect().catch((error: unknown) => {
      ended()
      release()
      throw error
    })
    const send = createPipeline(client)
    return {
      query: ((text: string, values?: readonly unknown[]) => {
        if (values === undefined || values.length === 0) return send(text)
        return send(sendable({ name: statementName(text), text, values: values as unknown[] }))
      }) as never,
      release: () => {
        client.release()
        ended()
        release()
      },
    } as never
  },
  end: async () => {
    await Promise.all(Object.values(pools).map(({ pool }) => pool.end()))
  },
})
