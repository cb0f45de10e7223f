// The context: database handle, actor, clock, log and the shared parts of the platform. The only value that is passed
// down.
import type { Notice } from '@millrace/contract/common'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'
import type { Actor, Member } from './actor.ts'
import type { Extensions } from './extension-points.ts'
import type { Gate } from './gate.ts'
import type { Operation } from './operation.ts'
import type { TransactionState } from './per-transaction.ts'
import type { Subject } from './subject.ts'

/**
 * The parts that exist once per server. Each part adds itself with `declare module` beside its type, so that core does
 * not depend on it.
 */
export interface Platform {
  readonly settings: Settings
  /** Every operation of the server, for entry points that look operations up by name. */
  readonly operations: readonly Operation[]
  /** The checks of `platform/core/invoke.ts` that need state. */
  readonly gate: Gate
  readonly extensions: Extensions
  readonly usage: UsageCounters
  readonly log: Logger
  readonly now: () => Date
}

type Db = Platform['db']

/** Counts how much of a resource a workspace uses. Each feature provides the counters of its resources. */
export type UsageCounters = Readonly<Record<string, (db: Db, teamId: string, now: Date) => Promise<number>>>

/** The request that a call comes from; recorded in audit rows and sessions. */
export type Origin = {
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /** Trace context of the call; empty without a trace. */
  readonly traceparent: string
}

export type DomainEvent<P = unknown> = { readonly subject: Subject<P>; readonly data: NoInfer<P> }

export type Ctx<A extends Actor = Member> = Platform & {
  readonly actor: A
  readonly origin: Origin
  readonly signal: AbortSignal
  /** State of the transaction (`per-transaction.ts`); null outside of one. */
  readonly transaction: TransactionState | null
  /** Adds a notice to the `messages` of the response. */
  notice(notice: Notice): void
  readonly notices: readonly Notice[]
  /** Published after the commit; discarded when the transaction fails. */
  emit<P>(event: DomainEvent<P>): void
  /** Runs `work` in one transaction. The inner context shadows the outer one; a nested call is a savepoint. */
  tx<T>(work: (ctx: Ctx<A>) => Promise<T>): Promise<T>
  /**
   * Runs `work` inside a transaction that the caller owns. The caller calls `publish` after its commit; until then no
   * events or notices are sent.
   */
  join<T>(db: Db, work: (ctx: Ctx<A>) => Promise<T>): Promise<{ result: T; publish(): void }>
  /** The same call with another actor. */
  as<B extends Actor>(actor: B): Ctx<B>
}

/** A nested failure undoes only the nested work and its events; the outer transaction continues. */
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
    // A rollback keeps the savepoint, and it would hide an outer one of the same name.
    await sql`release savepoint nested`.execute(db)
    throw error
  }
}

/** Shared, because most calls never read their signal and creating one costs more than the rest of the context. */
const neverAborted = new AbortController().signal

/** The events and the state of a transaction. */
type Inside = { readonly events: DomainEvent[]; readonly state: TransactionState }

const begin = (): Inside => ({ events: [], state: new Map() })

/** Details of a call besides its actor. */
export type CallParts = { readonly origin?: Origin; readonly signal?: AbortSignal; readonly log?: Logger }

const localOrigin: Origin = { requestId: 'local', ip: '', userAgent: '', traceparent: '' }

export const createCtx = <A extends Actor>(platform: Platform, actor: A, call: CallParts = {}): Ctx<A> => {
  const answerNotices: Notice[] = []
  const signal = call.signal ?? neverAborted
  const origin = call.origin ?? localOrigin
  const log = call.log ?? platform.log

  const publish = (events: readonly DomainEvent[]): void => {
    for (const event of events) platform.bus.publish(event.subject, event.data)
  }

  const build = <B extends Actor>(
    db: Db,
    actor: B,
    inside: Inside | null,
    notices: Notice[] = answerNotices,
  ): Ctx<B> => ({
    ...platform,
    db,
    transaction: inside?.state ?? null,
    log,
    actor,
    origin,
    signal,
    notices,
    notice: (notice) => {
      notices.push(notice)
    },
    emit: (event) => {
      if (inside) inside.events.push(event)
      else platform.bus.publish(event.subject, event.data)
    },
    as: (other) => build(db, other, inside, notices),
    tx: async (work) => {
      if (inside) return savepoint(db, inside.events, (db) => work(build(db, actor, inside, notices)))
      const begun = begin()
      const result = await platform.db.transaction().execute((trx) => work(build(trx, actor, begun, notices)))
      publish(begun.events)
      return result
    },
    join: async (db, work) => {
      const joined = begin()
      const collected: Notice[] = []
      const result = await work(build(db, actor, joined, collected))
      const publishAll = () => {
        notices.push(...collected)
        publish(joined.events)
      }
      return { result, publish: publishAll }
    },
  })

  return build(platform.db, actor, null)
}
