// Vectors of texts, from the model that the server uses for its search.
import type { CreateEmbeddings, Embeddings, OpenAiModel } from '@millrace/contract/openai'
import { embedTexts } from '#content/search/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'

export const embeddingModel: OpenAiModel = {
  id: 'millrace/embeddings',
  object: 'model',
  created: 0,
  owned_by: 'millrace',
}

const base64Of = (vector: Float32Array): string =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')

/** An estimate of four characters per token, as in all places without a tokenizer. */
const tokensOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.max(1, Math.ceil(text.length / 4)), 0)

export const createEmbeddings = async (ctx: Ctx<Member>, body: CreateEmbeddings): Promise<Embeddings> => {
  const { model, input, encoding_format: encoding = 'float' } = body
  if (model !== embeddingModel.id)
    throw fail('not_found', {
      detail: `The model \`${model}\` does not exist; the embedding model is \`${embeddingModel.id}\``,
      meta: { field: 'model' },
    })
  const texts = typeof input === 'string' ? [input] : input
  const empty = texts.findIndex((text) => text.trim() === '')
  if (empty !== -1) throw fail('validation_error', { detail: 'input must not be empty', meta: { field: 'input' } })
  const vectors = await embedTexts(ctx, texts, ctx.signal)
  const tokens = tokensOf(texts)
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding' as const,
      index,
      embedding: encoding === 'base64' ? base64Of(vector) : [...vector],
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}
