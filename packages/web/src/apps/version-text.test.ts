// Guards: two versions that declare the same compare as the same, whatever the order of their keys, and what differs shows.
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

it('does not mind the order of keys', () => {
  const [one, other] = [version({ env: { A: '1', B: '2' } }), version({ env: { B: '2', A: '1' } })]
  expect(versionText(one, 'Declaration')).toBe(versionText(other, 'Declaration'))
})

it('tells schemas from what else is declared', () => {
  const functions = { run: { name: 'run', input_schema: { type: 'object', required: ['a'] }, output_schema: {} } }
  const [before, after] = [version({}), version({ functions })]
  expect(versionText(before, 'Declaration')).toBe(versionText(after, 'Declaration'))
  expect(versionText(before, 'Schemas')).not.toBe(versionText(after, 'Schemas'))
})
