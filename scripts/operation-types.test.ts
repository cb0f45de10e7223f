// Guarantees: the generated types of an operation match its schemas, and named schemas of the contract keep their names.
import Type from 'typebox'
import { expect, it } from 'vitest'
import { PageOf, StringEnum } from '../packages/contract/src/common.ts'
import { operation } from '../packages/server/src/platform/core/operation.ts'
import { operationHelpText, operationTypesText } from './operation-types.ts'

const Mill = Type.Object({ id: Type.String(), stones: Type.Integer({ description: 'How many' }) })

const mills = [
  operation({
    name: 'mills.list',
    route: ['GET /mills', 'POST /mills/list'],
    summary: 'List mills',
    scope: 'apps:read',
    list: true,
    body: Type.Object({ limit: Type.Optional(Type.Integer()) }),
    reply: PageOf(Type.Partial(Mill)),
    run: () => Promise.reject(new Error('unused')),
  }),
  operation({
    name: 'mills.grind',
    route: 'POST /mills/:id/grind',
    summary: 'Grind',
    scope: 'apps:write',
    path: Type.Object({ id: Type.String() }),
    body: Type.Object({
      grain: StringEnum(['rye', 'oat']),
      weights: Type.Optional(Type.Array(Type.Union([Type.Number(), Type.Null()]))),
      notes: Type.Optional(Type.Record(Type.String(), Type.String())),
      'odd-name': Type.Optional(Type.Unknown()),
    }),
    reply: Mill,
    run: () => Promise.reject(new Error('unused')),
  }),
]

it('writes the types out', () => {
  const text = operationTypesText(mills, { 'water-mills': { Mill }, common: {} })
  expect(text).toContain("import type * as waterMills from './water-mills.ts'")
  expect(text).toContain('reply: Static<typeof waterMills.Mill>')
  expect(text).toContain('reply: common.Page<Partial<Static<typeof waterMills.Mill>>>')
  expect(text).toContain('input: { body?: { limit?: number } }')
  expect(text).toContain(
    'input: { path: { id: string }; body: { grain: "rye" | "oat"; weights?: (number | null)[]; notes?: Record<string, string>; "odd-name"?: unknown } }',
  )
})

it('names the endpoint for programs', () => {
  const text = operationTypesText(mills, { common: {} })
  expect(text).toContain("'mills.list': { method: 'POST', path: '/mills/list', list: true },")
  expect(text).toContain("'mills.grind': { method: 'POST', path: '/mills/:id/grind' },")
})

it('describes each field and where it is sent', () => {
  const text = operationHelpText(mills)
  expect(text).toContain('{"name":"id","in":"path","kind":"string","required":true}')
  expect(text).toContain('{"name":"grain","in":"body","kind":"rye|oat","required":true}')
})
