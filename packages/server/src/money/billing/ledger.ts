// The only place that moves money. Each movement is a transaction whose entries add up to zero, written in the same
// database transaction as the work that it pays for.
import { teamSubject } from '#platform/bus/subjects.ts'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { perTransaction } from '#platform/core/per-transaction.ts'
import type { Db } from '#platform/db/database.ts'
import { append, type Book, openBook, type Posting, type SealedRow } from './book.ts'
import { transactionDto } from './dto.ts'
import * as store from './store.ts'

/** The owner of the platform's own account. */
export const platformOwner = 'platform'

/** The book of a transaction whose postings are written by the code that began it (group commit). */
const sharedBooks = perTransaction((): { book: Book | undefined } => ({ book: undefined }))

export const shareBook = (ctx: Ctx<Actor>, book: Book): void => {
  sharedBooks(ctx).book = book
}

const sharedBook = (ctx: Ctx<Actor>, teamId: string): Book | undefined => {
  const book = ctx.transaction ? sharedBooks(ctx).book : undefined
  return book?.teamId === teamId ? book : undefined
}

/** Locks the account until the transaction ends. */
export const lockBook = async (db: Db, teamId: string, now: Date): Promise<Book> => {
  const known = await store.lockAccount(db, teamId)
  if (known) return openBook(known)
  await store.insertAccount(db, teamId, now.toISOString())
  const made = await store.lockAccount(db, teamId)
  if (!made) throw new Error('The account was not written')
  return openBook(made)
}

const post = async (ctx: Ctx<Actor>, posting: Posting): Promise<SealedRow> => {
  const shared = sharedBook(ctx, posting.teamId)
  const at = ctx.now()
  const book = shared ?? (await lockBook(ctx.db, posting.teamId, at))
  const row = append(book, posting, { userId: isMember(ctx.actor) ? ctx.actor.userId : '', at })
  if (!row) throw fail('payment_required', 'The prepaid balance of this workspace does not cover this')
  if (!shared) await store.writeBook(ctx.db, book)
  if (row.type !== 'settlement')
    ctx.emit({
      subject: teamSubject(posting.teamId),
      data: { name: 'transactions', data: transactionDto(row), needs: 'billing:read' },
    })
  return row
}

/** Fails with `payment_required` and changes nothing when the balance does not cover the posting. */
export const postTransaction = (ctx: Ctx<Actor>, posting: Posting): Promise<SealedRow> =>
  ctx.db.isTransaction ? post(ctx, posting) : ctx.tx((ctx) => post(ctx, posting))

/** Fails when spending of the workspace is stopped. Returns its balance, locked until the transaction ends. */
export const requireSpending = async (
  ctx: Ctx<Actor>,
  teamId: string,
  { evenIfStopped = false }: { evenIfStopped?: boolean } = {},
): Promise<{ balance: number }> => {
  const { status, end } = sharedBook(ctx, teamId) ?? (await lockBook(ctx.db, teamId, ctx.now()))
  if (status !== 'active' && !evenIfStopped)
    throw fail('payment_required', {
      detail: `The account of this workspace is ${status.replaceAll('_', ' ')}; paid work is not accepted`,
      meta: { status },
    })
  return { balance: end.balance }
}
