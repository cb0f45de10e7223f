// Guarantees: the exported log names people and resources.
import { expect, it } from 'vitest'
import { resourceNameOf } from './audit-csv.ts'

it.each([
  [{ ref: 'mill/echo', name: 'echo' }, 'mill/echo'],
  [{ key: 'TOKEN' }, 'TOKEN'],
  [{ fields: ['name'] }, ''],
  [{}, ''],
])('names the resource of %j', (meta, name) => {
  expect(resourceNameOf({ meta })).toBe(name)
})
