// The meaning of documents, made in the background: a document whose vector was made of another text, by another model or
// with another length than the model's answers have now, is one to do.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { type Embedder, TextsRefused } from './embedder.ts'
import { embedderOf } from './server-embedder.ts'
import { quantised } from './vectors.ts'
import * as store from './vectors-store.ts'

const batchTimeoutMs = 60_000
const batchSize = 16
const pauseMs = 2_000
/** So that whoever asks by meaning meanwhile gets its turn. */
const betweenMs = 10
/** After failures it waits longer each time, up to this. */
const longestPauseMs = 120_000
const forgottenAtOnce = 1_000

/** For which length of vectors all others were set aside; undefined: for none since the server started. */
const settledOf = perPlatform((): { length: number | null | undefined } => ({ length: undefined }))

/** Null for a text that the model does not take. One such text must not hold up the others. */
const embedEach = async (embedder: Embedder, texts: readonly string[]): Promise<(Float32Array | null)[]> => {
  try {
    return await embedder.embed(texts, batchTimeoutMs)
  } catch (error) {
    if (!(error instanceof TextsRefused)) throw error
    if (texts.length === 1) return [null]
  }
  const vectors: (Float32Array | null)[] = []
  for (const text of texts) vectors.push(...(await embedEach(embedder, [text])))
  return vectors
}

/** Embeds some documents that have changed; how many. What changes meanwhile still counts as changed. */
export const embedSome = async (platform: Platform): Promise<number> => {
  const { db } = platform
  const embedder = embedderOf(platform)
  const settled = settledOf(platform)
  if (settled.length !== embedder.length) await forgetOtherVectors(platform)
  settled.length = embedder.length
  const documents = await store.findUnembedded(db, batchSize)
  if (documents.length === 0) return 0
  const texts = documents.map(({ meaning }) => meaning)
  const vectors = await embedEach(embedder, texts)
  const made = documents.flatMap(({ id, meaning_hash }, index): store.NewVector[] => {
    const vector = vectors[index]
    return vector ? [{ id, meaning_hash, components: quantised(vector) }] : []
  })
  if (made.length > 0) await store.saveVectors(db, embedder.model, made)
  const refused = documents.filter((_document, index) => !vectors[index])
  if (refused.length > 0) {
    await store.saveRefused(db, refused)
    platform.log.warn(
      { ids: refused.map(({ id }) => id) },
      'the model refused documents; they are found by words alone',
    )
  }
  return documents.length
}

/** Has everything embedded anew that another model embedded, or that has another length than the model gives now. */
export const forgetOtherVectors = async (platform: Platform): Promise<void> => {
  const { model, length } = embedderOf(platform)
  for (let after = ''; ; ) {
    const ids = await store.forgetAfter(platform.db, { model, length }, after, forgottenAtOnce)
    after = ids.at(-1) ?? ''
    if (ids.length < forgottenAtOnce) return
  }
}

/** Embeds changed documents as long as the server runs, one batch after the other. */
export const startEmbedding = async (platform: Platform): Promise<() => Promise<void>> => {
  let stopped = false
  let failures = 0
  let restsUntilMs = 0
  const work = async (): Promise<void> => {
    if (performance.now() < restsUntilMs) return
    try {
      for (let done = batchSize; done === batchSize && !stopped; await sleep(betweenMs)) {
        done = await embedSome(platform)
        failures = 0
      }
    } catch (error) {
      failures += 1
      restsUntilMs = performance.now() + Math.min(pauseMs * 2 ** failures, longestPauseMs)
      if (!stopped) platform.log.warn({ err: error, failures }, 'documents could not be embedded')
    }
  }
  const stopRounds = platform.rounds.add({
    name: 'meaning of documents',
    values: () => [`${settledOf(platform).length !== embedderOf(platform).length}`],
    due: (_db, isUnsettled) => [store.isSaid(isUnsettled), store.unembedded],
    work,
    everyMs: pauseMs,
  })
  return async () => {
    stopped = true
    await embedderOf(platform).close()
    await stopRounds()
  }
}
