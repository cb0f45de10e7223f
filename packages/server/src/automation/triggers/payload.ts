// Parses the body of a delivery, and limits what the log of fires stores.

import { excessOf, jsonBounds } from '@millrace/contract/json-bounds'
import { isFailure } from '#platform/core/errors.ts'
import { assertStorableJson } from '#platform/http/body.ts'

export const hookBodyMaxBytes = 1_048_576
export const capturedMaxBytes = 65_536

// Deeper than any real event, and safe for every recursive parser, including PostgreSQL's.
const maxDepth = 200

export type PayloadRead =
  | { readonly ok: true; readonly payload: unknown /** The payload as JSON text. */; readonly text: string }
  | { readonly ok: false; readonly detail: string }

export const isTooDeep = (payload: unknown): boolean => {
  let level: unknown[] = [payload]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    if (level.length === 0) return false
  }
  return true
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The body of a webhook: UTF-8 JSON of at most 1 MiB. An empty body is an empty payload. */
export const readPayload = (body: Uint8Array): PayloadRead => {
  if (body.length > hookBodyMaxBytes) return { ok: false, detail: `the body is larger than ${hookBodyMaxBytes} bytes` }
  let text: string
  let payload: unknown
  try {
    text = utf8.decode(body)
    if (text.trim() === '') text = '{}'
    const excess = excessOf(body, { ...jsonBounds, depth: maxDepth })
    if (excess !== null) return { ok: false, detail: `the body ${excess}` }
    payload = JSON.parse(text)
  } catch {
    // The parser's message is dropped because it quotes the body.
    return { ok: false, detail: 'the body is not JSON' }
  }
  return isStorable(text, payload)
    ? { ok: true, payload, text }
    : { ok: false, detail: 'the body contains NUL, broken surrogate characters or a key __proto__' }
}

const isStorable = (text: string, payload: unknown): boolean => {
  try {
    assertStorableJson(text, payload)
    return true
  } catch (error) {
    if (isFailure(error)) return false
    throw error
  }
}

/** What the row of a fire stores, as JSON text: the payload up to 64 KiB, otherwise only its size. */
export const capturedText = (text: string): string => {
  const size = Buffer.byteLength(text)
  return size <= capturedMaxBytes ? text : JSON.stringify({ truncated: true, size })
}
