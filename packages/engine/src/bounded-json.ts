// Parses JSON from apps, servers and files. Depth and size are checked on the bytes first: parsing a huge value blocks
// the engine, and code that walks a deeply nested value overflows the stack.

import { excessOf, type JsonBounds, jsonBounds } from '@millrace/contract/json-bounds'

/** The message continues a sentence such as `the output …`. */
export class JsonRejected extends Error {
  override readonly name = 'JsonRefused'
}

export const parseJson = (json: string | Uint8Array, bounds: JsonBounds = jsonBounds): unknown => {
  const bytes = typeof json === 'string' ? Buffer.from(json) : json
  const excess = excessOf(bytes, bounds)
  if (excess !== null) throw new JsonRejected(excess)
  try {
    return JSON.parse(
      typeof json === 'string' ? json : Buffer.from(json.buffer, json.byteOffset, json.length).toString(),
    )
  } catch {
    throw new JsonRejected('is not valid JSON')
  }
}

/** Returns undefined for invalid JSON. */
export const tryParseJson = (json: string | Uint8Array, bounds?: JsonBounds): unknown => {
  try {
    return parseJson(json, bounds)
  } catch {
    return undefined
  }
}

export const readBounded = async (
  body: AsyncIterable<Buffer>,
  limitBytes: number,
): Promise<{ text: string; whole: boolean }> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > limitBytes) return { text: Buffer.concat(chunks).toString('utf8', 0, limitBytes), whole: false }
  }
  return { text: Buffer.concat(chunks).toString(), whole: true }
}
