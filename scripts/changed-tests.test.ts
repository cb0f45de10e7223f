// Guarantees: a change runs the tests of its own feature and of features that import it, and a change of the foundations
// runs all tests.
import { expect, it } from 'vitest'
import { featureFolderOf, testsFor } from './changed-tests.ts'

const imports = [
  {
    from: 'packages/server/src/automation/triggers/fire.ts',
    to: 'packages/server/src/automation/flows/service.ts',
    typeOnly: false,
    reExports: false,
  },
  {
    from: 'packages/server/src/connections/secrets/dto.ts',
    to: 'packages/contract/src/secrets.ts',
    typeOnly: true,
    reExports: false,
  },
]
const checks = ['packages/server/src/start/openapi.test.ts', 'packages/server/src/start/policy.test.ts']

it.each([
  ['packages/server/src/automation/flows/graph/history.ts', 'packages/server/src/automation/flows/'],
  ['packages/server/src/start/app.ts', 'packages/server/src/start/app.ts'],
  ['packages/server/migrations/0001-x.sql', 'packages/server/'],
  ['e2e/cli.test.ts', 'e2e/'],
])('%s belongs to %s', (path, folder) => expect(featureFolderOf(path)).toBe(folder))

it.each<{ changed: string[]; filters: string[] }>([
  {
    changed: ['packages/server/src/automation/flows/store.ts'],
    filters: [...checks, 'packages/server/src/automation/flows/'],
  },
  {
    changed: ['packages/server/src/automation/flows/service.ts'],
    filters: [...checks, 'packages/server/src/automation/flows/', 'packages/server/src/automation/triggers/'],
  },
  {
    changed: ['packages/contract/src/secrets.ts'],
    filters: [...checks, 'packages/contract/src/secrets.ts', 'packages/server/src/connections/secrets/'],
  },
  { changed: ['README.md'], filters: [] },
])('$changed', ({ changed, filters }) => {
  const asked = testsFor(changed, imports)
  expect(asked.everything).toBe(false)
  expect(asked.filters).toEqual(filters.sort())
})

it('a change of the foundations runs all tests', () => {
  expect(testsFor(['packages/server/src/platform/core/ctx.ts'], imports).everything).toBe(true)
  expect(testsFor(['packages/server/src/platform/core/ctx.test.ts'], imports).everything).toBe(false)
})
