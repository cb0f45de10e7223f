// Trace contexts as they travel (`traceparent`, W3C Trace Context) and as they are worked out. The id of a span follows from
// the id of what it tells of: whoever has the row knows it, on any server and after any restart, before the span exists.
import { createHash, randomBytes } from 'node:crypto'

export type TraceContext = { readonly traceId: string; readonly spanId: string; readonly sampled: boolean }

const shape = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/

/** Undefined when it is none; a version that is not known yet is read as far as this one goes. */
export const parseTraceparent = (text: string): TraceContext | undefined => {
  const [, traceId, spanId, flags = ''] = text.length <= 128 ? (shape.exec(text) ?? []) : []
  if (traceId === undefined || spanId === undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

const digest = (key: string): string => createHash('sha256').update(key).digest('hex')

/** The span of what is named by `key` under a parent; without a parent it begins a trace of its own. */
export const contextWithin = (parent: string, key: string): TraceContext => {
  const known = parseTraceparent(parent)
  const hex = digest(key)
  return { traceId: known?.traceId ?? hex.slice(16, 48), spanId: hex.slice(0, 16), sampled: known?.sampled ?? true }
}

/** The span of a call that nothing stored tells of. */
export const newContext = (parent: string): TraceContext => {
  const known = parseTraceparent(parent)
  return {
    traceId: known?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    sampled: known?.sampled ?? true,
  }
}
