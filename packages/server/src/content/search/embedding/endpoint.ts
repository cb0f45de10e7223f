// Vectors from an OpenAI-compatible endpoint: POST {address}/embeddings. The `model` query parameter of the address
// names the model. Requests use the guarded client, so an endpoint at a private address must be allowed like any other.
import { jsonBounds } from '@millrace/contract/json-bounds'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Outbound } from '#platform/outbound/client.ts'
import type { CosineRange } from '../score.ts'
import { measureRange } from './calibration.ts'
import { type Embedder, maxTextLength, TextsRefused } from './embedder.ts'

const defaultModel = 'text-embedding-3-small'
const maxDimensions = 8_192
/** Statuses that refuse the texts; others concern the endpoint or the key. */
const refusals = new Set([400, 413, 422])

type Endpoint = { address: string; key: string | undefined }

/** Vectors are long lists of numbers. */
const bounds = { ...jsonBounds, values: 5_000_000 }

/** The vectors in the order of the texts, all of one length; throws for any other answer. */
const vectorsIn = (answer: unknown, count: number): Float32Array[] => {
  const data = (answer as { data?: unknown } | null)?.data
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [place, item] of (Array.isArray(data) ? data : []).entries()) {
    const { index = place, embedding } = item as { index?: number; embedding?: unknown }
    if (Array.isArray(embedding) && embedding.every(Number.isFinite)) vectors[index] = Float32Array.from(embedding)
  }
  const length = vectors[0]?.length ?? 0
  const whole = vectors.flatMap((vector) => (vector?.length === length ? [vector] : []))
  if (length === 0 || length > maxDimensions || whole.length !== count || vectors.length !== count)
    throw new Error('The embeddings endpoint did not answer with one vector per text')
  return whole
}

export const createEndpointEmbedder = (outbound: Outbound, { address, key }: Endpoint): Embedder => {
  const url = new URL(address)
  const model = url.searchParams.get('model') || defaultModel
  url.search = ''
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`
  let measured: Promise<CosineRange> | null = null
  let length: number | null = null

  const embed: Embedder['embed'] = async (texts, timeoutMs) => {
    const response = await outbound.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, maxTextLength)) }),
      timeoutMs,
      maxBytes: 32 * 1024 * 1024,
      redirect: 'error',
    })
    if (response.ok) {
      const vectors = vectorsIn(parseUntrustedJson(await response.text(), { bounds }), texts.length)
      const given = vectors[0]?.length ?? null
      // The endpoint has another model under the same name, so it needs a new calibration.
      if (given !== length) measured = null
      length = given
      return vectors
    }
    await response.body?.cancel()
    const message = `The embeddings endpoint answered ${response.status}`
    throw refusals.has(response.status) ? new TextsRefused(message) : new Error(message)
  }
  return {
    model: `endpoint:${model}`,
    get length() {
      return length
    },
    embed,
    range: (timeoutMs) => {
      measured ??= measureRange((texts) => embed(texts, timeoutMs)).catch((error: unknown) => {
        measured = null
        throw error
      })
      return measured
    },
    close: async () => {},
  }
}
