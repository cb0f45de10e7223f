// A call with an idempotency key runs once. When the work only uses the database, the claim, the work and the stored
// answer are one transaction: a second call with the same key waits for the first and replays its answer; a refusal
// stores nothing, because it changed nothing. Work that calls other servers does not run in a transaction: the claim
// commits first, and a call that finds it without an answer is refused. The work never runs twice, even when the server
// is killed in between.
import { createHash } from 'node:crypto'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, fail } from '#platform/core/errors.ts'
import type { Gate, OnceOnly, OperationAnswer } from '#platform/core/gate.ts'
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

/** Per credential, because an answer may contain what another credential of the same person cannot read. */
const ownerOf = ({ teamId, userId, credentialId }: Member): string => `${teamId}/${userId}/${credentialId}`

const cutoffAt = (now: Date): string => new Date(now.getTime() - idempotencyHours * 3_600_000).toISOString()

/** After this time, work that calls other servers has ended or was interrupted. */
const maxWorkMs = 15 * 60_000

type Claim = { owner: string; key: string; fingerprint: Buffer; boundTo: string }

const claimOf = (actor: Member, { key, route, request }: OnceOnly): Claim => {
  if (key.length > 255) throw fail('validation_error', 'Idempotency-Key must be at most 255 characters')
  const owner = ownerOf(actor)
  const fingerprint = createHash('sha256')
    .update(`${route}\n${JSON.stringify(request)}`)
    .digest()
  return { owner, key, fingerprint, boundTo: sealBinding(sealedAnswers.table, `${owner}/${key}`, sealedAnswers.column) }
}

/** The stored answer of an earlier call; null when the key is now claimed for this call. */
const claimKey = async (
  ctx: Ctx<Member>,
  { owner, key, fingerprint, boundTo }: Claim,
): Promise<OperationAnswer | null> => {
  const now = ctx.now()
  await store.deleteOldKey(ctx.db, owner, key, cutoffAt(now))
  if (await store.claimKey(ctx.db, { owner, key, fingerprint, started_at: now.toISOString() })) return null
  const first = await store.readClaimed(ctx.db, owner, key)
  if (!first.fingerprint.equals(fingerprint)) throw fail('idempotency_conflict')
  if (!first.answer_sealed) throw unanswered(now.getTime() - Date.parse(first.started_at))
  const plain = await ctx.keyring.open(ctx.db, first.answer_sealed, boundTo)
  return JSON.parse(plain.toString()) as OperationAnswer
}

const unanswered = (ageMs: number): Failure =>
  ageMs < maxWorkMs
    ? fail('idempotency_in_progress')
    : fail(
        'idempotency_in_progress',
        'The first request with this idempotency key was interrupted; check what it did, then send a new key',
      )

const storeAnswer = async (
  ctx: Ctx<Member>,
  { owner, key, boundTo }: Claim,
  answer: OperationAnswer,
): Promise<void> => {
  const sealed = await ctx.keyring.seal(ctx.db, platformKeyTeam, JSON.stringify(answer), boundTo)
  await store.storeAnswer(ctx.db, owner, key, { answer_sealed: sealed, finished_at: ctx.now().toISOString() })
}

type Work = (ctx: Ctx<Member>) => Promise<OperationAnswer>

const answerInside = (ctx: Ctx<Member>, claim: Claim, work: Work) =>
  ctx.tx(async (ctx) => {
    const known = await claimKey(ctx, claim)
    if (known) return { ...known, replayed: true }
    const answer = await work(ctx)
    await storeAnswer(ctx, claim, answer)
    return { ...answer, replayed: false }
  })

const answerBetween = async (ctx: Ctx<Member>, claim: Claim, work: Work) => {
  const known = await ctx.tx((ctx) => claimKey(ctx, claim))
  if (known) return { ...known, replayed: true }
  const answer = await work(ctx).catch(async (error: unknown) => {
    await store.deleteClaim(ctx.db, claim.owner, claim.key)
    throw error
  })
  // The work is done, so the caller gets the answer even when it cannot be stored.
  await ctx
    .tx((ctx) => storeAnswer(ctx, claim, answer))
    .catch((error: unknown) => ctx.log.error({ err: error }, 'the answer of an idempotency key was not stored'))
  return { ...answer, replayed: false }
}

export const answerOnce: Gate['once'] = async (ctx, call, work) =>
  (call.reachesOut ? answerBetween : answerInside)(ctx, claimOf(ctx.actor, call), work)

/** Deletes expired answers. */
export const sweepIdempotencyKeys = async (db: Db, now: Date): Promise<void> => {
  await store.deleteOldKeys(db, cutoffAt(now))
}
