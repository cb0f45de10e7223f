// Guarantees: a deployment in the console reads `inf.yml` as the CLI does.
import { expect, it } from 'vitest'
import { declaredBy, manifestIn } from './manifest.ts'
import { strings } from './strings.ts'

const discovered = {
  setup_schema: null,
  functions: {
    grind: { name: 'grind', description: 'Of the code', kind: 'stream' as const, input_schema: {}, output_schema: {} },
    sift: { name: 'sift', description: 'Sifts', kind: 'run' as const, input_schema: {}, output_schema: {} },
  },
}

const declared = (text: string) =>
  declaredBy(manifestIn(text), { id: 'a1', name: 'sack' }, { repository: 'https://mill.example/x.zip', discovered })

it('reads title, requirements, limits and descriptions from the manifest, and the schemas from the code', () => {
  const text = `
name: sack
namespace: elsewhere
title: Sacks
description: Fills sacks
category: milling
kernel: node-22
default_function: sift
env:
resources: { ram: 512mb }
secrets: [{ key: STONE }]
functions: [{ name: grind, description: Grinds fine }]
`
  const { body, notices } = declared(text)
  expect(body).toMatchObject({
    id: 'a1',
    name: 'sack',
    title: 'Sacks',
    description: 'Fills sacks',
    category: 'other',
    version: {
      repository: 'https://mill.example/x.zip',
      kernel: 'node-22',
      default_function: 'sift',
      env: {},
      resources: { ram: 512e6 },
      required_secrets: [{ key: 'STONE' }],
      functions: { grind: { description: 'Grinds fine', kind: 'stream' }, sift: { description: 'Sifts' } },
    },
  })
  expect(body).not.toHaveProperty('namespace')
  expect(notices).toEqual([
    'category: milling is unknown; the app is listed under other, and the value is stored in its metadata',
  ])
})

it('keeps the name of the app and reports it', () => {
  const { body, notices } = declared('name: Flour_Bag')
  expect(body.name).toBe('sack')
  expect(notices).toEqual([strings.deploy.nameKept('flour-bag', 'sack')])
})

it.each([
  ['no name', 'title: Sacks', 'name: Name is required'],
  ['a list', '- one', strings.deploy.emptyManifest],
  ['a wrong type', 'name: sack\nresources: { gpu: { count: many } }', 'resources.gpu.count: Must be integer'],
  ['an unknown kernel', 'name: sack\nkernel: cobol-85', strings.deploy.unknownKernel('cobol-85')],
  ['an unknown version of a kernel', 'name: sack\nkernel: python-3.99', strings.deploy.unknownKernel('python-3.99')],
])('rejects %s', (_what, text, message) => {
  expect(() => manifestIn(text)).toThrow(message)
})
