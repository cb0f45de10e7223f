// Guarantees: equal versions compare as equal for every key order, and differences are shown.
import type { AppVersion } from '@millrace/contract/apps'
import { expect, it } from 'vitest'
import { versionText } from './version-text.ts'

const version = (changes: object): AppVersion =>
  ({
    kernel: 'node',
    env: {},
    functions: { run: { name: 'run', input_schema: { type: 'object' }, output_schema: {} } },
    ...changes,
  }) as unknown as AppVersion

it('ignores the order of keys', () => {
  const [one, other] = [version({ env: { A: '1', B: '2' } }), version({ env: { B: '2', A: '1' } })]
  expect(versionText(one, 'Declaration')).toBe(versionText(other, 'Declaration'))
})

it('separates the schemas from the declaration', () => {
  const functions = { run: { name: 'run', input_schema: { type: 'object', required: ['a'] }, output_schema: {} } }
  const [before, after] = [version({}), version({ functions })]
  expect(versionText(before, 'Declaration')).toBe(versionText(after, 'Declaration'))
  expect(versionText(before, 'Schemas')).not.toBe(versionText(after, 'Schemas'))
})
