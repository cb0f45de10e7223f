// Guarantees: a union shows the variant of its value, fills in constants, and accepts `null` as a variant.
import { describe, expect, it } from 'vitest'
import { dateTimeIn, localTimeOf } from './date-time.ts'
import { faultsOf, variantFor } from './faults.ts'
import { firstValue, kindOf, type Schema, variantsOf } from './schema.ts'

const circle: Schema = {
  type: 'object',
  required: ['kind', 'radius'],
  properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
}
const square: Schema = {
  type: 'object',
  required: ['kind', 'side'],
  properties: { kind: { const: 'square' }, side: { type: 'number' } },
}
const shape: Schema = { anyOf: [circle, square, { type: 'null' }] }

describe('a union', () => {
  it.each([
    [undefined, 0],
    [{ kind: 'circle', radius: 1 }, 0],
    [{ kind: 'square', side: 2 }, 1],
    [{ kind: 'square' }, 1],
    [null, 2],
  ])('has the variant of %j', (value, variant) => expect(variantFor(shape, value, shape)).toBe(variant))

  it('reports the faults of the variant of its value', () => {
    expect(faultsOf(shape, { kind: 'square' }, shape)).toMatchObject([{ path: 'side' }])
    expect(faultsOf(shape, null, shape)).toEqual([])
  })

  it('starts a variant with its constants', () => {
    const [, second = {}, none = {}] = variantsOf(shape, shape)
    expect(firstValue(second, shape)).toEqual({ kind: 'square' })
    expect(firstValue(none, shape)).toBeNull()
  })
})

it.each([
  [{ const: 'a' }, 'const'],
  [{ type: 'null' }, 'null'],
  [{ type: 'string', format: 'date' }, 'date'],
  [{ type: 'string', format: 'date-time' }, 'date-time'],
])('%j is a field of the kind %s', (schema, kind) => expect(kindOf(schema)).toBe(kind))

it('converts date-times between the wire and the input', () => {
  const wire = '2026-03-29T12:34:56.000Z'
  expect(dateTimeIn(localTimeOf(wire))).toBe(wire)
  expect(localTimeOf('soon')).toBe('')
  expect(dateTimeIn('')).toBe('')
})
