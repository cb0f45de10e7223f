// The meaning of queries. Each is embedded when it is asked, once, and compared with what embedding.ts made of documents.
import { LRUCache } from 'lru-cache'
import type { Actor } from '../core/actor.ts'
import type { Ctx, Platform } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import type { Embedder } from './embedder.ts'
import { createEndpointEmbedder } from './endpoint.ts'
import type { Reach } from './query-store.ts'
import { semanticScore } from './score.ts'
import { createThreadEmbedder } from './thread.ts'
import { cosine, signsOf } from './vectors.ts'
import * as store from './vectors-store.ts'

const queryTimeoutMs = 1_500
const mostRemembered = 2_000
/** Compared exactly, of those whose signs differ least. */
const nearest = 100

type Meanings = {
  embedder: Embedder | null
  remembered: LRUCache<string, Float32Array>
  someVectors: boolean
}

const meaningsOf = perPlatform(
  (): Meanings => ({ embedder: null, remembered: new LRUCache({ max: mostRemembered }), someVectors: false }),
)

const createEmbedder = ({ settings, outbound }: Pick<Platform, 'settings' | 'outbound'>): Embedder =>
  settings.EMBEDDINGS_URL === undefined
    ? createThreadEmbedder()
    : createEndpointEmbedder(outbound, { address: settings.EMBEDDINGS_URL, key: settings.EMBEDDINGS_KEY })

/** The one embedder of this server. */
export const embedderOf = (platform: Pick<Platform, 'settings' | 'outbound' | 'hooks'>): Embedder => {
  const meanings = meaningsOf(platform)
  meanings.embedder ??= createEmbedder(platform)
  return meanings.embedder
}

const vectorOf = async (embedder: Embedder, { remembered }: Meanings, text: string): Promise<Float32Array> => {
  const vector = remembered.get(text) ?? (await embedder.embed([text], queryTimeoutMs))[0]
  if (!vector) throw new Error('The model gave no vector')
  remembered.set(text, vector)
  return vector
}

/** How near documents are in meaning, by id, from 0 to 1. Without vectors the search goes by words alone, and says so. */
export const semanticsOf = async (ctx: Ctx<Actor>, reach: Reach, text: string): Promise<Map<string, number>> => {
  const meanings = meaningsOf(ctx)
  const embedder = embedderOf(ctx)
  const wordsOnly = (message: string): Map<string, number> => {
    ctx.notice({ level: 'info', code: 'semantic_unavailable', message })
    return new Map()
  }
  meanings.someVectors ||= await store.hasVectors(ctx.db, embedder.model)
  if (!meanings.someVectors) return wordsOnly('Nothing has been embedded yet; these results go by words alone')
  try {
    const [vector, range] = await Promise.all([vectorOf(embedder, meanings, text), embedder.range(queryTimeoutMs)])
    const rows = await store.findNearest(ctx.db, reach, { model: embedder.model, signs: signsOf(vector) }, nearest)
    return new Map(rows.map(({ id, components }) => [id, semanticScore(cosine(vector, components), range)]))
  } catch (error) {
    ctx.log.warn({ err: error }, 'a query could not be embedded')
    return wordsOnly('The query could not be embedded in time; these results go by words alone')
  }
}
