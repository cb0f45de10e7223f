// The only thing handed down: database handle, actor, clock, log, and the platform's few shared parts.
import type { Notice } from '@millrace/contract/common'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Bus } from '../bus/bus.ts'
import type { Db } from '../db/database.ts'
import type { GeoDatabase } from '../http/blocks/geo-database.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { SealedColumn } from '../keyring/sealed-columns.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Outbound } from '../outbound/client.ts'
import type { Settings } from '../settings.ts'
import type { Actor, Member } from './actor.ts'
import type { Hooks } from './hooks.ts'

/** How much of a resource a workspace uses; each feature brings the counters of what it owns. */
export type UsageCounters = Readonly<Record<string, (db: Db, teamId: string, now: Date) => Promise<number>>>

/** What the process owns exactly one of. */
export type Platform = {
  readonly settings: Settings
  readonly db: Db
  readonly bus: Bus
  readonly jobs: Jobs
  readonly keyring: Keyring
  /** Every column that holds sealed values, as the features declare them. */
  readonly sealedColumns: readonly SealedColumn[]
  readonly blobs: BlobStore
  /** Signs the URLs that uploads go to. */
  readonly uploadKey: Uint8Array
  readonly mailer: Mailer
  readonly outbound: Outbound
  readonly geo: GeoDatabase
  readonly hooks: Hooks
  readonly usage: UsageCounters
  readonly log: Logger
  readonly now: () => Date
}

/** Where the call comes from; recorded by audit rows and sessions. */
export type Origin = { readonly requestId: string; readonly ip: string; readonly userAgent: string }

export type DomainEvent = { readonly subject: string; readonly data: unknown }

export type Ctx<A extends Actor = Member> = Platform & {
  readonly actor: A
  readonly origin: Origin
  readonly signal: AbortSignal
  /** Adds a notice to the answer's `messages`. */
  notice(notice: Notice): void
  readonly notices: readonly Notice[]
  /** Published after commit; dropped when the transaction fails. */
  emit(event: DomainEvent): void
  /** Runs `work` in one transaction. The inner context shadows the outer one; a nested call is a savepoint. */
  tx<T>(work: (ctx: Ctx<A>) => Promise<T>): Promise<T>
  /** The same call seen through another actor. */
  as<B extends Actor>(actor: B): Ctx<B>
}

/** A nested failure undoes the nested work and its events only; the outer transaction decides for itself. */
const savepoint = async <T>(db: Db, events: DomainEvent[], work: (db: Db) => Promise<T>): Promise<T> => {
  const eventsBefore = events.length
  await sql`savepoint nested`.execute(db)
  try {
    const result = await work(db)
    await sql`release savepoint nested`.execute(db)
    return result
  } catch (error) {
    events.length = eventsBefore
    await sql`rollback to savepoint nested`.execute(db)
    // Going back leaves the savepoint standing, in front of the one of the same name around it.
    await sql`release savepoint nested`.execute(db)
    throw error
  }
}

/** Most calls never look at their signal, and one of its own costs more than the rest of the context. */
const neverAborted = new AbortController().signal

const localOrigin: Origin = { requestId: 'local', ip: '', userAgent: '' }

export const createCtx = <A extends Actor>(
  platform: Platform,
  actor: A,
  call: { origin?: Origin; signal?: AbortSignal; log?: Logger } = {},
): Ctx<A> => {
  const notices: Notice[] = []
  const signal = call.signal ?? neverAborted
  const origin = call.origin ?? localOrigin
  const log = call.log ?? platform.log

  const build = <B extends Actor>(db: Db, actor: B, pending: DomainEvent[] | null): Ctx<B> => ({
    ...platform,
    db,
    log,
    actor,
    origin,
    signal,
    notices,
    notice: (notice) => {
      notices.push(notice)
    },
    emit: (event) => {
      if (pending) pending.push(event)
      else platform.bus.publish(event.subject, event.data)
    },
    as: (other) => build(db, other, pending),
    tx: async (work) => {
      if (pending) return savepoint(db, pending, (db) => work(build(db, actor, pending)))
      const events: DomainEvent[] = []
      const result = await platform.db.transaction().execute((trx) => work(build(trx, actor, events)))
      for (const event of events) platform.bus.publish(event.subject, event.data)
      return result
    },
  })

  return build(platform.db, actor, null)
}
