// Guarantees: a missing tool is reported as skipped, and a problem that a tool finds is returned.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkPython } from './python-checks.ts'

const noTool = { skipped: true, problems: '' }

it('reports a tool that no interpreter has', () => {
  expect(checkPython({ name: 'millrace_no_such_tool', args: [] })).toEqual(noTool)
})

it('skips without an interpreter', () => {
  expect(checkPython({ name: 'mypy', args: [] }, ['millrace-no-such-python'])).toEqual(noTool)
})

it.skipIf(checkPython({ name: 'pyflakes', args: ['--version'] }).skipped)('returns the problems', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-python-checks-'))
  const file = join(folder, 'unused.py')
  await writeFile(file, 'import os\n')
  expect(checkPython({ name: 'pyflakes', args: [file] }).problems).toMatch(/'os' imported but unused/)
  await rm(folder, { recursive: true })
})
