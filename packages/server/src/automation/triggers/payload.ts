// A delivery's bytes as a payload, and what of a payload goes into the log of fires.

import { excessOf, jsonBounds } from '@millrace/contract/json-bounds'
import { isFailure } from '#platform/core/errors.ts'
import { assertStorableJson } from '#platform/http/body.ts'

export const hookBodyMaxBytes = 1_048_576
export const capturedMaxBytes = 65_536

// Deep enough for any real event, shallow enough for every recursive reader behind us, PostgreSQL's included.
const maxDepth = 200

export type PayloadRead =
  | { readonly ok: true; readonly payload: unknown /** The same as JSON text. */; readonly text: string }
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

/** A hook's body: UTF-8 JSON of at most 1 MiB. No body at all is an empty payload. */
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
    // The parser's sentence quotes the body, which may hold anything.
    return { ok: false, detail: 'the body is not JSON' }
  }
  return isStorable(text, payload)
    ? { ok: true, payload, text }
    : { ok: false, detail: 'the body holds NUL or broken surrogate characters, or a key __proto__' }
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

/** What a fire's row keeps, as JSON text: the payload itself up to 64 KiB, beyond that only how large it was. */
export const capturedText = (text: string): string => {
  const size = Buffer.byteLength(text)
  return size <= capturedMaxBytes ? text : JSON.stringify({ truncated: true, size })
}
