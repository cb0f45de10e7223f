// Guarantees: JSON null in an optional field means "absent" at every depth, also inside a union, and only there.
import Type, { type TSchema } from 'typebox'
import { expect, it } from 'vitest'
import { nullStripper, validator } from './validate.ts'

const Part = Type.Object({ a: Type.Optional(Type.String()), kept: Type.Optional(Type.Null()) })
const Named = (name: string, field: string) =>
  Type.Object({ type: Type.Literal(name), [field]: Type.Optional(Type.Integer()) })

const stripped = (schema: TSchema, value: unknown): unknown => {
  nullStripper(schema)?.(value)
  return value
}

it.each<[string, TSchema, unknown, unknown]>([
  ['a text or an object, as object', Type.Union([Type.String(), Part]), { a: null, b: null }, { b: null }],
  ['a text or an object, as text', Type.Union([Type.String(), Part]), 'a', 'a'],
  ['an object or null', Type.Union([Part, Type.Null()]), { a: null, kept: null }, { kept: null }],
  ['an object or null, as null', Type.Union([Part, Type.Null()]), null, null],
  ['a list of objects or null', Type.Union([Type.Array(Part), Type.Null()]), [{ a: null }, null], [{}, null]],
  ['an object or a list of them, as list', Type.Union([Part, Type.Array(Part)]), [{ a: null }], [{}]],
  ['an object or a list of them, as object', Type.Union([Part, Type.Array(Part)]), { a: null }, {}],
  ['a union in a union', Type.Union([Type.Union([Part, Type.String()]), Type.Null()]), { a: null }, {}],
  [
    'a record or a text',
    Type.Union([Type.Record(Type.String(), Part), Type.String()]),
    { x: null, y: { a: null } },
    { y: {} },
  ],
  [
    'objects named by their type',
    Type.Union([Named('one', 'a'), Named('two', 'b')]),
    { type: 'two', a: null, b: null },
    { type: 'two', a: null },
  ],
  [
    'the same, or null',
    Type.Union([Type.Union([Named('one', 'a'), Named('two', 'b')]), Type.Null()]),
    { type: 'one', a: null },
    { type: 'one' },
  ],
  [
    'objects of which nothing says which is meant',
    Type.Union([Part, Type.Object({ b: Type.Optional(Type.Integer()) })]),
    { a: null },
    { a: null },
  ],
  ['an object, or anything', Type.Union([Part, Type.Unknown()]), { a: null }, { a: null }],
])('in %s', (_claim, schema, value, expected) => {
  expect(stripped(Type.Object({ field: schema }), { field: value })).toEqual({ field: expected })
})

it('nulls are stripped from a union that is the body or stands beside a required field', () => {
  const read = validator(
    Type.Union([Type.Object({ id: Type.String(), a: Type.Optional(Type.String()) }), Type.Null()]),
    'body',
  )
  expect(read({ id: 'x', a: null })).toEqual({ id: 'x' })
  expect(() => read({ id: null })).toThrow(/id/)
})

it('a schema without optional fields has no stripper', () => {
  expect(nullStripper(Type.Union([Type.String(), Type.Object({ id: Type.String() })]))).toBeUndefined()
})
