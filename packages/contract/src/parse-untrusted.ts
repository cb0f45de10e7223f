// The one place where bytes from outside become values. Size, depth, and the numbers of names, parts and values are checked
// before the parser runs, because parsing is synchronous.
import { exceededBound, excessOf, type JsonBounds, jsonBounds } from './json-bounds.ts'

/** A `SyntaxError`, so that code that handles invalid JSON also handles JSON that exceeds its bounds. */
export class UntrustedInputError extends SyntaxError {
  override readonly name = 'UntrustedInputError'
  /** The rest of a sentence that begins with `The body` or similar. */
  readonly problem: string
  /** The input was not parsed because it exceeds a limit. */
  readonly isExcess: boolean

  constructor(problem: string, isExcess: boolean, options?: ErrorOptions) {
    super(`The input ${problem}`, options)
    this.problem = problem
    this.isExcess = isExcess
  }
}

export type UntrustedLimits = { readonly bounds?: JsonBounds; readonly maxBytes?: number }

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const assertSize = (length: number, maxBytes: number): void => {
  if (length > maxBytes) throw new UntrustedInputError(`has more than ${maxBytes} bytes`, true)
}

/** Throws when the text would be expensive to parse. The text may still be invalid JSON. */
export const assertBoundedJson = (
  input: string | Uint8Array,
  { bounds = jsonBounds, maxBytes = Number.POSITIVE_INFINITY }: UntrustedLimits = {},
): void => {
  // A character has at least one byte.
  assertSize(input.length, maxBytes)
  const bytes = typeof input === 'string' ? encoder.encode(input) : input
  assertSize(bytes.length, maxBytes)
  if (exceededBound(bytes, bounds) !== null) throw new UntrustedInputError(excessOf(bytes, bounds) ?? '', true)
}

export const parseUntrustedJson = (input: string | Uint8Array, limits: UntrustedLimits = {}): unknown => {
  assertBoundedJson(input, limits)
  try {
    return JSON.parse(typeof input === 'string' ? input : decoder.decode(input))
  } catch (cause) {
    throw new UntrustedInputError('is not valid JSON', false, { cause })
  }
}

/** `undefined` when the text is invalid JSON or exceeds its bounds. */
export const readUntrustedJson = (input: string | Uint8Array, limits: UntrustedLimits = {}): unknown => {
  try {
    return parseUntrustedJson(input, limits)
  } catch {
    return undefined
  }
}

export const maxFormBytes = 64 * 1024
export const maxFormPairs = 256

/** The fields of a form. Of several fields with one name the last counts. */
export const parseUntrustedForm = (text: string, maxBytes = maxFormBytes): Record<string, string> => {
  assertSize(text.length, maxBytes)
  assertSize(encoder.encode(text).length, maxBytes)
  let pairs = 1
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) pairs += 1
  if (pairs > maxFormPairs) throw new UntrustedInputError(`has more than ${maxFormPairs} fields`, true)
  return Object.fromEntries(new URLSearchParams(text))
}
