// Trace contexts (`traceparent`, W3C Trace Context). A span id is derived from the id of its row, so that every server
// can compute it, also after a restart and before the span exists.
import { createHash, randomBytes } from 'node:crypto'

export type TraceContext = { readonly traceId: string; readonly spanId: string; readonly sampled: boolean }

const shape = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** Undefined if invalid; an unknown version is read as this one. */
export const parseTraceparent = (text: string): TraceContext | undefined => {
  const [, traceId, spanId, flags = ''] = text.length <= 128 ? (shape.exec(text) ?? []) : []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

const digest = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The span for `key` under a parent; without a parent it starts a trace. */
export const contextWithin = (parent: string, key: string): TraceContext => {
  const known = parseTraceparent(parent)
  const hex = digest(key)
  return { traceId: known?.traceId ?? hex.slice(16, 48), spanId: hex.slice(0, 16), sampled: known?.sampled ?? true }
}

/** The span of a call without a stored row. */
export const newContext = (parent: string): TraceContext => {
  const known = parseTraceparent(parent)
  return {
    traceId: known?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    sampled: known?.sampled ?? true,
  }
}
