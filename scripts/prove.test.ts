// Guarantees: every proof names existing test files, and each variable of its large size is read by them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { proofs } from './proofs.ts'
import { planProof } from './prove.ts'
import { root } from './source-files.ts'

const testFiles = globSync(['e2e/**/*.test.ts', 'packages/*/src/**/*.test.ts'], { cwd: root })

it.each(Object.entries(proofs))('%s names test files that read its variables', (_, { tests, large, argument }) => {
  const found = tests.map((end) => testFiles.filter((path) => path.endsWith(end)))
  expect(found.map((files) => files.length)).toEqual(tests.map(() => 1))
  const text = found.flat().map((path) => readFileSync(join(root, path), 'utf8'))
  for (const name of [...Object.keys(large), ...(argument ? [argument.variable] : [])])
    expect(text.join('\n')).toContain(name)
})

it('sets the variables of the large size only when asked', () => {
  expect(planProof(['crash'])).toEqual({ args: ['e2e/crash.test.ts'], env: {} })
  expect(planProof(['crash', '--size', 'large'])).toEqual({ args: ['e2e/crash.test.ts'], env: { CRASH_KILLS: '50' } })
})

it('passes an argument in the environment', () => {
  const table = { folder: { about: '', tests: ['a.test.ts'], large: {}, argument: { name: 'DIR', variable: 'A_DIR' } } }
  expect(planProof(['folder', 'apps'], table)).toEqual({ args: ['a.test.ts'], env: { A_DIR: 'apps' } })
  expect(planProof(['folder'], table)).toBe('folder needs one argument: DIR')
})

it.each([
  [[], 'Name a proof'],
  [['toString'], 'There is no proof named toString'],
  [['crash', '--size', 'huge'], 'The size is small or large'],
  [['crash', 'now'], 'crash takes no argument'],
])('rejects %j', (words, message) => expect(planProof(words)).toBe(message))
