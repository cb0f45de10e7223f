// The meaning of queries. Each is embedded when it is asked, once, and compared with what embedding.ts made of documents.
import { LRUCache } from 'lru-cache'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { audiencesFor } from './access.ts'
import type { Embedder } from './embedder.ts'
import { freshVectors } from './nearest.ts'
import { findTeamsOfOrg } from './nearest-store.ts'
import { semanticScore } from './score.ts'
import { embedderOf } from './server-embedder.ts'
import { hasVectors } from './vectors-store.ts'

const queryTimeoutMs = 1_500
const mostRemembered = 2_000

type Meanings = { remembered: LRUCache<string, Float32Array>; someVectors: boolean }

const meaningsOf = perPlatform(
  (): Meanings => ({ remembered: new LRUCache({ max: mostRemembered }), someVectors: false }),
)

const vectorOf = async (embedder: Embedder, { remembered }: Meanings, text: string): Promise<Float32Array> => {
  const known = remembered.get(text)
  if (known?.length === embedder.length) return known
  const [vector] = await embedder.embed([text], queryTimeoutMs)
  if (!vector) throw new Error('The model gave no vector')
  remembered.set(text, vector)
  return vector
}

/** The load of a whole table goes on; who asked meanwhile does not wait for its end. */
const inTime = async <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The meanings are still being loaded')), queryTimeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export type Semantics = {
  /** What is near in meaning among all that the caller may find. */
  near: readonly string[]
  /** How near a document is, from 0 to 1. */
  scoreOf(id: string): number
}

const none: Semantics = { near: [], scoreOf: () => 0 }

export type Asked = { text: string; kinds: readonly string[]; limit: number }

const compare = async (ctx: Ctx<Actor>, embedder: Embedder, { text, kinds, limit }: Asked): Promise<Semantics> => {
  const orgId = isMember(ctx.actor) ? ctx.actor.orgId : null
  const [vector, range, orgTeams] = await Promise.all([
    vectorOf(embedder, meaningsOf(ctx), text),
    embedder.range(queryTimeoutMs),
    orgId === null ? [] : findTeamsOfOrg(ctx.db, orgId),
  ])
  const table = await inTime(freshVectors(ctx))
  if (table.length !== vector.length) throw new Error('The model gave a vector of another length than before')
  const near = table.nearest(vector, audiencesFor(ctx.actor, kinds, orgTeams), limit)
  return {
    near: near.filter(({ cosine }) => semanticScore(cosine, range) > 0).map(({ id }) => id),
    scoreOf: (id) => semanticScore(table.cosineTo(vector, id) ?? 0, range),
  }
}

/** Without vectors the search goes by words alone, and says so. */
export const semanticsOf = async (ctx: Ctx<Actor>, asked: Asked): Promise<Semantics> => {
  const meanings = meaningsOf(ctx)
  const embedder = embedderOf(ctx)
  const wordsOnly = (message: string): Semantics => {
    ctx.notice({ level: 'info', code: 'semantic_unavailable', message })
    return none
  }
  meanings.someVectors ||= await hasVectors(ctx.db, embedder.model)
  if (!meanings.someVectors) return wordsOnly('Nothing has been embedded yet; these results go by words alone')
  try {
    return await compare(ctx, embedder, asked)
  } catch (error) {
    ctx.log.warn({ err: error }, 'a query was not compared by its meaning')
    return wordsOnly('Meanings could not be compared in time; these results go by words alone')
  }
}
