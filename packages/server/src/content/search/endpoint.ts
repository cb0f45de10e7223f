// Vectors from an endpoint that speaks OpenAI's dialect: POST {address}/embeddings. `?model=` of the address names the
// model. It is asked through the guarded client, so an endpoint on a private address has to be allowed like any other.
import type { Outbound } from '#platform/outbound/client.ts'
import { measureRange } from './calibration.ts'
import { type Embedder, longestText, TextsRefused } from './embedder.ts'
import type { CosineRange } from './score.ts'

const defaultModel = 'text-embedding-3-small'
const mostDimensions = 8_192
/** Statuses that speak of the texts, and not of the endpoint's state or our key. */
const refusals = new Set([400, 413, 422])

type Endpoint = { address: string; key: string | undefined }

/** Vectors by their place, all of one length; anything else is an answer that cannot be used. */
const vectorsIn = (answer: unknown, count: number): Float32Array[] => {
  const data = (answer as { data?: unknown } | null)?.data
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count })
  for (const [place, item] of (Array.isArray(data) ? data : []).entries()) {
    const { index = place, embedding } = item as { index?: number; embedding?: unknown }
    if (Array.isArray(embedding) && embedding.every(Number.isFinite)) vectors[index] = Float32Array.from(embedding)
  }
  const length = vectors[0]?.length ?? 0
  const whole = vectors.flatMap((vector) => (vector?.length === length ? [vector] : []))
  if (length === 0 || length > mostDimensions || whole.length !== count || vectors.length !== count)
    throw new Error('The endpoint for embeddings answered with something else than a vector for each text')
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
      body: JSON.stringify({ model, input: texts.map((text) => text.slice(0, longestText)) }),
      timeoutMs,
      maxBytes: 32 * 1024 * 1024,
      redirect: 'error',
    })
    if (response.ok) {
      const vectors = vectorsIn(await response.json(), texts.length)
      const given = vectors[0]?.length ?? null
      // What the endpoint does under this name has changed, and with it where cosines lie.
      if (given !== length) measured = null
      length = given
      return vectors
    }
    await response.body?.cancel()
    const said = `The endpoint for embeddings answered ${response.status}`
    throw refusals.has(response.status) ? new TextsRefused(said) : new Error(said)
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
