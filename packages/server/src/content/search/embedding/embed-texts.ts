// Vectors of a caller's own texts, from the model of the search.
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { maxTextLength, TextsRefused } from './embedder.ts'
import { embedderOf } from './server-embedder.ts'

const batchSize = 16
const batchTimeoutMs = 30_000

/** One small batch at a time, so that queries of the search are embedded in between. */
export const embedTexts = async (
  platform: Pick<Platform, 'settings' | 'outbound' | 'extensions' | 'log'>,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> => {
  const embedder = embedderOf(platform)
  const vectors: Float32Array[] = []
  for (let from = 0; from < texts.length && !signal.aborted; from += batchSize) {
    const batch = texts.slice(from, from + batchSize).map((text) => text.slice(0, maxTextLength))
    try {
      vectors.push(...(await embedder.embed(batch, batchTimeoutMs)))
    } catch (error) {
      if (error instanceof TextsRefused)
        throw fail('validation_error', { detail: 'The model refused a text', meta: { field: 'input' }, cause: error })
      throw fail('unavailable', { detail: 'The texts could not be embedded; try again', cause: error })
    }
  }
  return vectors
}
