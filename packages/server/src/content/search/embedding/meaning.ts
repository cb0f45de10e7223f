// The meaning of queries. Each query is embedded once and compared with the vectors from embedding.ts.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { CosineRange } from '../score.ts'
import type { Embedder } from './embedder.ts'
import { embedderOf } from './server-embedder.ts'
import { hasVectors } from './vectors-store.ts'

const queryTimeoutMs = 1_500
const maxCached = 2_000

type Meanings = { remembered: LRUCache<string, Float32Array>; someVectors: boolean }

const meaningsOf = perPlatform((): Meanings => ({ remembered: new LRUCache({ max: maxCached }), someVectors: false }))

const vectorOf = async (embedder: Embedder, { remembered }: Meanings, text: string): Promise<Float32Array> => {
  const known = remembered.get(text)
  if (known?.length === embedder.length) return known
  const [vector] = await embedder.embed([text], queryTimeoutMs)
  if (!vector) throw new Error('The model returned no vector')
  remembered.set(text, vector)
  return vector
}

/** The vector of a query and the cosine range of its model. */
export type Meaning = { vector: Float32Array; range: CosineRange }

/** Returns null, and adds a notice, if the search uses words only. */
export const meaningOf = async (ctx: Ctx<Actor>, text: string): Promise<Meaning | null> => {
  const meanings = meaningsOf(ctx)
  const embedder = embedderOf(ctx)
  meanings.someVectors ||= await hasVectors(ctx.db, embedder.model)
  if (!meanings.someVectors) {
    noticeWordsOnly(ctx, 'No documents are embedded yet; these results use words only')
    return null
  }
  try {
    const [vector, range] = await Promise.all([vectorOf(embedder, meanings, text), embedder.range(queryTimeoutMs)])
    return { vector, range }
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not embed a query')
    noticeTimeout(ctx)
    return null
  }
}

const noticeWordsOnly = (ctx: Ctx<Actor>, message: string): void =>
  ctx.notice({ level: 'info', code: 'semantic_unavailable', message })

export const noticeTimeout = (ctx: Ctx<Actor>): void =>
  noticeWordsOnly(ctx, 'The query could not be embedded in time; these results use words only')
