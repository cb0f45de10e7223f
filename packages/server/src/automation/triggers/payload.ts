// Reads the body of a delivery as a payload, and limits how much of it a trigger event stores.
import { jsonBounds } from '@millrace/contract/json-bounds'
import { parseUntrustedForm, parseUntrustedJson, UntrustedInputError } from '@millrace/contract/parse-untrusted'
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

/** The body of a webhook: UTF-8 of at most 1 MiB, JSON or a form. An empty body is an empty payload. */
export const readPayload = (body: Uint8Array, contentType = ''): PayloadRead => {
  if (body.length > hookBodyMaxBytes) return { ok: false, detail: `the body is larger than ${hookBodyMaxBytes} bytes` }
  try {
    const { text, payload } = parseBody(utf8.decode(body), contentType)
    return isStorable(text, payload)
      ? { ok: true, payload, text }
      : { ok: false, detail: 'the body contains NUL, broken surrogate characters or a key __proto__' }
  } catch (error) {
    if (error instanceof UntrustedInputError && error.isExcess)
      return { ok: false, detail: `the body ${error.problem}` }
    // The parser's message quotes the body, which may contain anything.
    return { ok: false, detail: 'the body is not JSON' }
  }
}

type Parsed = { readonly text: string; readonly payload: unknown }

const limits = { bounds: { ...jsonBounds, depth: maxDepth } }

const parseBody = (text: string, contentType: string): Parsed => {
  if (text.trim() === '') return { text: '{}', payload: {} }
  // `curl -d` declares every body as a form. A form has `=` and never begins like an object, an array or a text of JSON.
  const isForm =
    /^application\/x-www-form-urlencoded\b/i.test(contentType) && /^\s*[^[{"\s]/.test(text) && text.includes('=')
  return isForm ? parseForm(text) : { text, payload: parseUntrustedJson(text, limits) }
}

/** GitHub sends its JSON in the field `payload`. The fields of any other form are the payload. */
const parseForm = (text: string): Parsed => {
  const fields = parseUntrustedForm(text, hookBodyMaxBytes)
  const { payload: json } = fields
  if (json !== undefined && /^\s*[[{"]/.test(json)) return { text: json, payload: parseUntrustedJson(json, limits) }
  return { text: JSON.stringify(fields), payload: fields }
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

/** The payload as the row of a fire stores it, as JSON text: up to 64 KiB, otherwise only its size. */
export const capturedText = (text: string): string => {
  const size = Buffer.byteLength(text)
  return size <= capturedMaxBytes ? text : JSON.stringify({ truncated: true, size })
}
