// The meaning of queries and documents. Documents are embedded in the background; queries when they are asked, once each.
import { LRUCache } from 'lru-cache'
import type { Actor } from '../core/actor.ts'
import type { Ctx, Platform } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { createEmbedder, type Embedder } from './embedder.ts'
import type { Reach } from './query-store.ts'
import { cosine, quantised, signsOf } from './vectors.ts'
import * as store from './vectors-store.ts'

const model = 'universal-sentence-encoder-lite'
const queryTimeoutMs = 1_500
const batchTimeoutMs = 60_000
const batchSize = 16
const pauseMs = 2_000
const mostRemembered = 2_000
/** Compared exactly, of those whose signs differ least. */
const nearest = 100

type Meanings = { embedder: Embedder; remembered: LRUCache<string, Float32Array>; someVectors: boolean }

const meaningsOf = perPlatform(
  (): Meanings => ({
    embedder: createEmbedder(),
    remembered: new LRUCache({ max: mostRemembered }),
    someVectors: false,
  }),
)

const vectorOf = async (meanings: Meanings, text: string): Promise<Float32Array> => {
  const { remembered, embedder } = meanings
  const known = remembered.get(text)
  const vector = known ?? (await embedder.embed([text], queryTimeoutMs))[0]
  if (!vector) throw new Error('The model gave no vector')
  remembered.set(text, vector)
  return vector
}

/** How near documents are in meaning, by id. Without vectors the search goes by words alone, and says so. */
export const cosinesOf = async (ctx: Ctx<Actor>, reach: Reach, text: string): Promise<Map<string, number>> => {
  const meanings = meaningsOf(ctx)
  const wordsOnly = (message: string): Map<string, number> => {
    ctx.notice({ level: 'info', code: 'semantic_unavailable', message })
    return new Map()
  }
  meanings.someVectors ||= await store.hasVectors(ctx.db)
  if (!meanings.someVectors) return wordsOnly('Nothing has been embedded yet; these results go by words alone')
  try {
    const vector = await vectorOf(meanings, text)
    const rows = await store.findNearest(ctx.db, reach, signsOf(vector), nearest)
    return new Map(rows.map(({ id, components }) => [id, cosine(vector, components)]))
  } catch (error) {
    ctx.log.warn({ err: error }, 'a query could not be embedded')
    return wordsOnly('The query could not be embedded in time; these results go by words alone')
  }
}

/** Embeds some documents that have changed; how many. What changes meanwhile still counts as changed. */
export const embedSome = async (platform: Platform): Promise<number> => {
  const { db } = platform
  const documents = await store.findUnembedded(db, batchSize)
  if (documents.length === 0) return 0
  const texts = documents.map(({ meaning }) => meaning)
  const vectors = await meaningsOf(platform).embedder.embed(texts, batchTimeoutMs)
  const made = documents.flatMap(({ id, meaning_hash }, index): store.NewVector[] => {
    const vector = vectors[index]
    return vector ? [{ id, meaning_hash, signs: signsOf(vector), components: quantised(vector) }] : []
  })
  await store.saveVectors(db, model, made)
  return made.length
}

/** Looks for changed documents as long as the server runs, one batch after the other. */
export const startEmbedding = async (platform: Platform): Promise<() => Promise<void>> => {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()
  const look = async (): Promise<void> => {
    const done = await embedSome(platform).catch((error: unknown) => {
      if (!stopped) platform.log.warn({ err: error }, 'documents could not be embedded')
      return 0
    })
    if (stopped) return
    timer = setTimeout(
      () => {
        working = look()
      },
      done === batchSize ? 10 : pauseMs,
    )
    timer.unref()
  }
  working = look()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await meaningsOf(platform).embedder.close()
    await working
  }
}
