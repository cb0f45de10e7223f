// Embeds documents in the background: those whose vector belongs to an older text, to another model, or has another
// length than the model's current vectors.
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
/** A pause in which queries can be embedded. */
const betweenMs = 10
/** The maximum of the backoff after failures. */
const maxPauseMs = 120_000
const maxClearedAtOnce = 1_000

/** The vector length for which all other vectors were dropped; undefined if none since the start. */
const settledOf = perPlatform((): { length: number | null | undefined } => ({ length: undefined }))

/** Null for a text that the model refuses. One refused text must not block the others. */
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

/** Embeds some changed documents; returns their number. A document that changes meanwhile still counts as changed. */
export const embedSome = async (platform: Platform): Promise<number> => {
  const { db } = platform
  const embedder = embedderOf(platform)
  const settled = settledOf(platform)
  if (settled.length !== embedder.length) await clearOtherVectors(platform)
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
    platform.log.warn({ ids: refused.map(({ id }) => id) }, 'the model refused documents; they are found only by words')
  }
  return documents.length
}

/**
 * Marks documents for embedding whose vector belongs to another model or has another length than the model's current
 * vectors.
 */
export const clearOtherVectors = async (platform: Platform): Promise<void> => {
  const { model, length } = embedderOf(platform)
  for (let after = ''; ; ) {
    const ids = await store.clearVectorsAfter(platform.db, { model, length }, after, maxClearedAtOnce)
    after = ids.at(-1) ?? ''
    if (ids.length < maxClearedAtOnce) return
  }
}

/** Embeds changed documents in batches while the server runs. */
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
      restsUntilMs = performance.now() + Math.min(pauseMs * 2 ** failures, maxPauseMs)
      if (!stopped) platform.log.warn({ err: error, failures }, 'could not embed documents')
    }
  }
  const stopTask = platform.periodicTasks.add({
    name: 'embedding of documents',
    values: () => [`${settledOf(platform).length !== embedderOf(platform).length}`],
    due: (_db, isUnsettled) => [store.rowIf(isUnsettled), store.unembedded],
    work,
    everyMs: pauseMs,
  })
  return async () => {
    stopped = true
    await embedderOf(platform).close()
    await stopTask()
  }
}
