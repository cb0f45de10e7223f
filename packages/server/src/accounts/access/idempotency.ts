// A call with an idempotency key: the claim, the work and the stored answer are one transaction. A second call with the
// same key waits for the first and replays its answer; a refusal stores nothing, because it changed nothing.
import { createHash } from 'node:crypto'
import type { Member } from '#platform/core/actor.ts'
import { fail } from '#platform/core/errors.ts'
import type { Answer, Gate } from '#platform/core/gate.ts'
import type { Db } from '#platform/db/database.ts'
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import * as store from './idempotency-store.ts'

export const idempotencyHours = 24

export const sealedAnswers: SealedColumn = {
  table: 'idempotency_keys',
  column: 'answer_sealed',
  teamColumn: null,
  idColumns: ['owner', 'key'],
}

/** Each credential on its own: an answer may show what another credential of the same person could not have asked for. */
const ownerOf = ({ teamId, userId, credentialId }: Member): string => `${teamId}/${userId}/${credentialId}`

const cutoffAt = (now: Date): string => new Date(now.getTime() - idempotencyHours * 3_600_000).toISOString()

export const answerOnce: Gate['once'] = async (ctx, { key, door, request }, work) => {
  if (key.length > 255) throw fail('validation_error', 'Idempotency-Key must be at most 255 characters')
  const owner = ownerOf(ctx.actor)
  const fingerprint = createHash('sha256')
    .update(`${door}\n${JSON.stringify(request)}`)
    .digest()
  const boundTo = sealBinding(sealedAnswers.table, `${owner}/${key}`, sealedAnswers.column)
  return ctx.tx(async (ctx) => {
    await store.deleteOldKey(ctx.db, owner, key, cutoffAt(ctx.now()))
    if (!(await store.claimKey(ctx.db, { owner, key, fingerprint, started_at: ctx.now().toISOString() }))) {
      const first = await store.readClaimed(ctx.db, owner, key)
      if (!first.fingerprint.equals(fingerprint)) throw fail('idempotency_conflict')
      if (!first.answer_sealed) throw fail('idempotency_in_progress')
      const plain = await ctx.keyring.open(ctx.db, first.answer_sealed, boundTo)
      return { ...(JSON.parse(plain.toString()) as Answer), replayed: true }
    }
    const answer = await work(ctx)
    const sealed = await ctx.keyring.seal(ctx.db, platformKeyTeam, JSON.stringify(answer), boundTo)
    await store.storeAnswer(ctx.db, owner, key, { answer_sealed: sealed, finished_at: ctx.now().toISOString() })
    return { ...answer, replayed: false }
  })
}

/** Answers nobody can ask for again. */
export const sweepIdempotencyKeys = async (db: Db, now: Date): Promise<void> => {
  await store.deleteOldKeys(db, cutoffAt(now))
}
