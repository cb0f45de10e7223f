// Group commit of paid work. Work that arrives while the workspace's account is busy waits here and then shares one
// transaction: one lock of the account, one statement for all postings, one flush to disk. A refusal affects only its
// own caller. Callers are answered after the commit. Other servers have their own batches and meet this one at the lock
// of the account.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Db } from '#platform/db/database.ts'
import { tooMany } from '#platform/fairness/fair-share.ts'
import { inWork } from '#platform/fairness/work.ts'
import { type Book, markBook, rollBackBook } from './book.ts'
import { lockBook, shareBook } from './ledger.ts'
import { writeBook } from './store.ts'

type Item = {
  /**
   * Does the work inside the transaction. With `alone`, a failure undoes only this item. Returns what to do after the
   * commit.
   */
  readonly perform: (db: Db, book: Book, way: { alone: boolean }) => Promise<() => void>
  readonly reject: (error: unknown) => void
  readonly since: number
}

const maxBatchItems = 256
const maxWaiting = 1_000
const maxWaitMs = 30_000

const batches = perPlatform(() => new Map<string, Item[]>())

/**
 * Runs `work`, which may reserve money of the workspace and post to its ledger, in a transaction shared with other
 * work. Runs it a second time when another item failed. After posting, `work` must not catch its own failure, because
 * only the whole transaction can be rolled back.
 */
export const inBatch = <A extends Actor, T>(
  ctx: Ctx<A>,
  teamId: string,
  work: (ctx: Ctx<A>) => Promise<T>,
): Promise<T> => {
  const open = batches(ctx)
  const waiting = open.get(teamId)
  if (waiting && waiting.length >= maxWaiting) throw tooMany()
  return new Promise<T>((resolve, reject) => {
    const perform: Item['perform'] = async (db, book, { alone }) => {
      const { result, publish } = await ctx.join(db, (ctx) => {
        shareBook(ctx, book)
        return alone ? ctx.tx(work) : work(ctx)
      })
      return () => {
        publish()
        resolve(result)
      }
    }
    const item: Item = { perform, reject, since: performance.now() }
    if (waiting) waiting.push(item)
    else {
      const fresh = [item]
      open.set(teamId, fresh)
      inWork({ kind: 'request', tenant: teamId }, () =>
        // Work that arrives in the same turn of the event loop joins the batch.
        setImmediate(() => void serve(ctx, teamId, fresh)),
      )
    }
  })
}

const serve = async (ctx: Ctx<Actor>, teamId: string, waiting: Item[]): Promise<void> => {
  while (waiting.length > 0) {
    const oldest = performance.now() - maxWaitMs
    const batch = waiting.splice(0, maxBatchItems)
    for (const { reject } of batch.filter(({ since }) => since < oldest)) reject(tooMany())
    const inTime = batch.filter(({ since }) => since >= oldest)
    await together(ctx, teamId, inTime).catch((error: unknown) => {
      for (const { reject } of inTime) reject(error)
    })
  }
  batches(ctx).delete(teamId)
}

type Perform = (db: Db, book: Book, item: Item) => Promise<() => void>

/**
 * The first attempt has no savepoint per item: most batches contain no refusal, and savepoints would double the
 * statements. When an item fails, the transaction is rolled back and repeated with one savepoint per item.
 */
const together = async (ctx: Ctx<Actor>, teamId: string, batch: readonly Item[]): Promise<void> => {
  const perform = (by: Perform) => attempt(ctx, teamId, (db, book) => oneByOne(batch, (item) => by(db, book, item)))
  const answers = await perform((db, book, item) => item.perform(db, book, { alone: false })).catch(
    (error: unknown) => {
      if (batch.length === 1) throw error
      return perform(performAlone)
    },
  )
  for (const answer of answers) answer()
}

/** Callers are answered only after the commit, refusals included: without the commit, nothing happened. */
const attempt = <T>(ctx: Ctx<Actor>, teamId: string, work: (db: Db, book: Book) => Promise<T>): Promise<T> =>
  ctx.db.transaction().execute(async (db) => {
    const book = await lockBook(db, teamId, ctx.now())
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
    return await perform(db, book, { alone: true })
  } catch (error) {
    rollBackBook(book, mark)
    return () => reject(error)
  }
}
