// The only thing handed down: database handle, actor, clock, log, and the platform's few shared parts.
import type { Notice } from '@millrace/contract/common'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Settings } from '../settings/settings.ts'
import type { Actor, Member } from './actor.ts'
import type { Gate } from './gate.ts'
import type { Hooks } from './hooks.ts'
import type { Operation } from './operation.ts'
import type { Subject } from './subject.ts'

/**
 * What the process owns exactly one of. Core names none of the parts around it: each says in its own file, beside its
 * type, that the platform carries it (`declare module`).
 */
export interface Platform {
  readonly settings: Settings
  /** Every operation of the server, for doors that find them by name. */
  readonly operations: readonly Operation[]
  /** The checks of `platform/core/invoke.ts` that need to remember something. */
  readonly gate: Gate
  readonly hooks: Hooks
  readonly usage: UsageCounters
  readonly log: Logger
  readonly now: () => Date
}

type Db = Platform['db']

/** How much of a resource a workspace uses; each feature brings the counters of what it owns. */
export type UsageCounters = Readonly<Record<string, (db: Db, teamId: string, now: Date) => Promise<number>>>

/** Where the call comes from; recorded by audit rows and sessions. */
export type Origin = {
  readonly requestId: string
  readonly ip: string
  readonly userAgent: string
  /** Of the trace that the call is part of; empty when there is none. */
  readonly traceparent: string
}

export type DomainEvent<P = unknown> = { readonly subject: Subject<P>; readonly data: NoInfer<P> }

export type Ctx<A extends Actor = Member> = Platform & {
  readonly actor: A
  readonly origin: Origin
  readonly signal: AbortSignal
  /** Adds a notice to the answer's `messages`. */
  notice(notice: Notice): void
  readonly notices: readonly Notice[]
  /** Published after commit; dropped when the transaction fails. */
  emit<P>(event: DomainEvent<P>): void
  /** Runs `work` in one transaction. The inner context shadows the outer one; a nested call is a savepoint. */
  tx<T>(work: (ctx: Ctx<A>) => Promise<T>): Promise<T>
  /**
   * Runs `work` as a part of a transaction that somebody else began. `publish` is for whoever ends that transaction, once it
   * has committed: until then nothing was told, neither on the bus nor in the answer.
   */
  join<T>(db: Db, work: (ctx: Ctx<A>) => Promise<T>): Promise<{ result: T; publish(): void }>
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

/** What a door says about a call besides who makes it. */
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
    pending: DomainEvent[] | null,
    notices: Notice[] = answerNotices,
  ): Ctx<B> => ({
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
    as: (other) => build(db, other, pending, notices),
    tx: async (work) => {
      if (pending) return savepoint(db, pending, (db) => work(build(db, actor, pending, notices)))
      const events: DomainEvent[] = []
      const result = await platform.db.transaction().execute((trx) => work(build(trx, actor, events, notices)))
      publish(events)
      return result
    },
    join: async (db, work) => {
      const events: DomainEvent[] = []
      const told: Notice[] = []
      const result = await work(build(db, actor, events, told))
      const publishAll = () => {
        notices.push(...told)
        publish(events)
      }
      return { result, publish: publishAll }
    },
  })

  return build(platform.db, actor, null)
}
