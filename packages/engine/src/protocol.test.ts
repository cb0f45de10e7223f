// Guarantees: every rule of docs/protocol/engine.md has a test with its id, and no test has the id of an unknown rule.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const here = new URL('.', import.meta.url).pathname
const rulesPage = new URL('../../../docs/protocol/engine.md', import.meta.url)

test('the specification and the tests have the same rules', async () => {
  const page = await readFile(rulesPage, 'utf8')
  const written = [...page.matchAll(/^- \*\*(E\d+)\*\*/gm)].map((match) => match[1])
  expect(new Set(written).size).toBe(written.length)

  const files = (await readdir(here, { recursive: true })).filter((name) => name.endsWith('.test.ts'))
  const tested = new Set<string>()
  for (const file of files) {
    const text = await readFile(join(here, file), 'utf8')
    for (const match of text.matchAll(/\[(E\d+)\]/g)) tested.add(String(match[1]))
  }
  expect([...tested].sort()).toEqual([...written].sort())
})
