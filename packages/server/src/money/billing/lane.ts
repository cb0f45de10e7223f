// Group commit of paid work. What a workspace pays for while its account is busy waits here and is then done by one
// transaction: the account is locked once, the postings are one statement and the disk is flushed once, for all of them.
// A refusal concerns nobody else; everyone is answered after the commit. Other servers have lanes of their own and meet
// this one at the lock of the account.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Db } from '#platform/db/database.ts'
import { tooMany } from '#platform/fairness/shares.ts'
import { inWork } from '#platform/fairness/work.ts'
import { type Book, markBook, turnBack } from './book.ts'
import { lockBook, shareBook } from './ledger.ts'
import { writeBook } from './store.ts'

type Item = {
  /** Does the work inside the transaction, undone alone where asked for; returns what to do when that has committed. */
  readonly perform: (db: Db, way: { alone: boolean }) => Promise<() => void>
  readonly reject: (error: unknown) => void
  readonly since: number
}

const mostTogether = 256
const mostWaiting = 1_000
const longestWaitMs = 30_000

const lanes = perPlatform(() => new Map<string, Item[]>())

/**
 * Runs `work`, which may ask for money of the workspace and post to its ledger, in a transaction that it shares with others;
 * once more when one of the others failed. What posts inside it must not survive a failure of its own: only the whole is
 * turned back.
 */
export const inLane = <A extends Actor, T>(
  ctx: Ctx<A>,
  teamId: string,
  work: (ctx: Ctx<A>) => Promise<T>,
): Promise<T> => {
  const open = lanes(ctx)
  const lane = open.get(teamId)
  if (lane && lane.length >= mostWaiting) throw tooMany()
  return new Promise<T>((resolve, reject) => {
    const perform: Item['perform'] = async (db, { alone }) => {
      const { result, publish } = await ctx.join(db, alone ? (ctx) => ctx.tx(work) : work)
      return () => {
        publish()
        resolve(result)
      }
    }
    const item: Item = { perform, reject, since: performance.now() }
    if (lane) lane.push(item)
    else {
      const fresh = [item]
      open.set(teamId, fresh)
      inWork({ kind: 'request', tenant: teamId }, () =>
        // Whatever else has arrived in this turn of the event loop comes along.
        setImmediate(() => void serve(ctx, teamId, fresh)),
      )
    }
  })
}

const serve = async (ctx: Ctx<Actor>, teamId: string, lane: Item[]): Promise<void> => {
  while (lane.length > 0) {
    const oldest = performance.now() - longestWaitMs
    const batch = lane.splice(0, mostTogether)
    for (const { reject } of batch.filter(({ since }) => since < oldest)) reject(tooMany())
    const inTime = batch.filter(({ since }) => since >= oldest)
    await together(ctx, teamId, inTime).catch((error: unknown) => {
      for (const { reject } of inTime) reject(error)
    })
  }
  lanes(ctx).delete(teamId)
}

type Perform = (db: Db, book: Book, item: Item) => Promise<() => void>

/**
 * At first without a way back for each: most batches hold no refusal, and it would be half of what the database is asked.
 * Where something fails, all is undone and done again, each for itself.
 */
const together = async (ctx: Ctx<Actor>, teamId: string, batch: readonly Item[]): Promise<void> => {
  const perform = (by: Perform) => attempt(ctx, teamId, (db, book) => oneByOne(batch, (item) => by(db, book, item)))
  const answers = await perform((db, _book, item) => item.perform(db, { alone: false })).catch((error: unknown) => {
    if (batch.length === 1) throw error
    return perform(performAlone)
  })
  for (const answer of answers) answer()
}

/** Nobody is answered before the commit: what it did not write did not happen, a refusal for its sake included. */
const attempt = <T>(ctx: Ctx<Actor>, teamId: string, work: (db: Db, book: Book) => Promise<T>): Promise<T> =>
  ctx.db.transaction().execute(async (db) => {
    const book = await lockBook(db, teamId, ctx.now())
    shareBook(db, book)
    const result = await work(db, book)
    await writeBook(db, book)
    return result
  })

const oneByOne = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

const performAlone: Perform = async (db, book, { perform, reject }) => {
  const mark = markBook(book)
  try {
    return await perform(db, { alone: true })
  } catch (error) {
    turnBack(book, mark)
    return () => reject(error)
  }
}
