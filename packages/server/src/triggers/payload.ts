// A delivery's bytes as a payload, and what of a payload goes into the log of fires.

export const hookBodyMaxBytes = 1_048_576
export const capturedMaxBytes = 65_536

// Deep enough for any real event, shallow enough for every recursive reader behind us, PostgreSQL's included.
const maxDepth = 200

export type PayloadRead =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly detail: string }

export const isTooDeep = (payload: unknown): boolean => {
  let level: unknown[] = [payload]
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
    if (level.length === 0) return false
  }
  return true
}

/** A hook's body: UTF-8 JSON of at most 1 MiB. No body at all is an empty payload. */
export const readPayload = (body: Uint8Array): PayloadRead => {
  if (body.length > hookBodyMaxBytes) return { ok: false, detail: `the body is larger than ${hookBodyMaxBytes} bytes` }
  let payload: unknown
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body)
    payload = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    // The parser's sentence quotes the body, which may hold anything.
    return { ok: false, detail: 'the body is not JSON' }
  }
  return isTooDeep(payload) ? { ok: false, detail: 'the body is nested too deeply' } : { ok: true, payload }
}

/** What a fire's row keeps: the payload itself up to 64 KiB of JSON, beyond that only how large it was. */
export const capturePayload = (payload: unknown): unknown => {
  const size = Buffer.byteLength(JSON.stringify(payload) ?? '')
  return size <= capturedMaxBytes ? payload : { truncated: true, size }
}
