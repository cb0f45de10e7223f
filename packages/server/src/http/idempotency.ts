// Idempotency-Key on any POST: the claim, the work and the stored answer are one transaction. A second request with the
// same key waits for the first and replays its answer; a refusal stores nothing, because it changed nothing.
import { createHash } from 'node:crypto'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Db } from '../db/database.ts'
import { platformKeyTeam } from '../keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '../keyring/sealed-columns.ts'

export const idempotencyHours = 24

export const sealedAnswers: SealedColumn = {
  table: 'idempotency_keys',
  column: 'answer_sealed',
  teamColumn: null,
  idColumns: ['owner', 'key'],
}

/** Each credential on its own: an answer may show what another credential of the same person could not have asked for. */
const ownerOf = (actor: Actor, ip: string): string =>
  isMember(actor) ? `${actor.teamId}/${actor.userId}/${actor.credentialId}` : `guest/${ip}`

export type StoredAnswer = { data: unknown; notices: Ctx['notices'] }

export const answerOnce = async (
  ctx: Ctx<Actor>,
  { key, door, body }: { key: string; door: string; body: unknown },
  work: (ctx: Ctx<Actor>) => Promise<StoredAnswer>,
): Promise<StoredAnswer & { replayed: boolean }> => {
  if (key.length > 255) throw fail('validation_error', 'Idempotency-Key must be at most 255 characters')
  const owner = ownerOf(ctx.actor, ctx.origin.ip)
  const fingerprint = createHash('sha256')
    .update(`${door}\n${JSON.stringify(body)}`)
    .digest()
  const boundTo = sealBinding(sealedAnswers.table, `${owner}/${key}`, sealedAnswers.column)
  return ctx.tx(async (ctx) => {
    const cutoff = new Date(ctx.now().getTime() - idempotencyHours * 3_600_000)
    await ctx.db
      .deleteFrom('idempotency_keys')
      .where('owner', '=', owner)
      .where('key', '=', key)
      .where('started_at', '<', cutoff.toISOString())
      .execute()
    const claimed = await ctx.db
      .insertInto('idempotency_keys')
      .values({ owner, key, fingerprint, started_at: ctx.now().toISOString() })
      .onConflict((conflict) => conflict.columns(['owner', 'key']).doNothing())
      .returning('key')
      .executeTakeFirst()
    if (!claimed) {
      const first = await ctx.db
        .selectFrom('idempotency_keys')
        .select(['fingerprint', 'answer_sealed'])
        .where('owner', '=', owner)
        .where('key', '=', key)
        .limit(1)
        .executeTakeFirstOrThrow()
      if (!first.fingerprint.equals(fingerprint)) throw fail('idempotency_conflict')
      if (!first.answer_sealed) throw fail('idempotency_in_progress')
      const plain = await ctx.keyring.open(ctx.db, first.answer_sealed, boundTo)
      return { ...(JSON.parse(plain.toString()) as StoredAnswer), replayed: true }
    }
    const answer = await work(ctx)
    const sealed = await ctx.keyring.seal(ctx.db, platformKeyTeam, JSON.stringify(answer), boundTo)
    await ctx.db
      .updateTable('idempotency_keys')
      .set({ answer_sealed: sealed, finished_at: ctx.now().toISOString() })
      .where('owner', '=', owner)
      .where('key', '=', key)
      .execute()
    return { ...answer, replayed: false }
  })
}

/** Answers nobody can ask for again. */
export const sweepIdempotencyKeys = async (db: Db, now: Date): Promise<void> => {
  const cutoff = new Date(now.getTime() - idempotencyHours * 3_600_000).toISOString()
  await db.deleteFrom('idempotency_keys').where('started_at', '<', cutoff).execute()
}
