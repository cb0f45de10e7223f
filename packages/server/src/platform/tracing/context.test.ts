// Guarantees: only valid `traceparent` headers are accepted.
import { describe, expect, it } from 'vitest'
import { contextWithin, formatTraceparent, parseTraceparent } from './context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

it.each<[string, object | undefined]>([
  [`00-${traceId}-${spanId}-01`, { traceId, spanId, sampled: true }],
  [`00-${traceId}-${spanId}-00`, { traceId, spanId, sampled: false }],
  [`01-${traceId}-${spanId}-03-more`, { traceId, spanId, sampled: true }],
  [`ff-${traceId}-${spanId}-01`, undefined],
  [`00-${'0'.repeat(32)}-${spanId}-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined],
  [`00-${traceId}-${spanId}-01x`, undefined],
  [`01-${traceId}-${spanId}-01-${'x'.repeat(100)}`, undefined],
  ['', undefined],
])('%s', (text, context) => expect(parseTraceparent(text)).toEqual(context))

describe('a child span', () => {
  it('belongs to its parent’s trace and has a derived id', () => {
    const parent = `00-${traceId}-${spanId}-01`
    const context = contextWithin(parent, 'task:a')
    expect(context).toEqual(contextWithin(parent, 'task:a'))
    expect(context).toMatchObject({ traceId, sampled: true })
    expect(context.spanId).not.toBe(contextWithin(parent, 'task:b').spanId)
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
  })

  it('starts a trace without a parent', () => {
    const context = contextWithin('', 'task:a')
    expect(parseTraceparent(formatTraceparent(context))).toEqual({ ...context, sampled: true })
  })
})
