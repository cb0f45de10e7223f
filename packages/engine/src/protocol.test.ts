// Guards: every rule of docs/protocol/engine.md has a test that names it, and no test names a rule that is not there.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const here = new URL('.', import.meta.url).pathname
const rulesPage = new URL('../../../docs/protocol/engine.md', import.meta.url)

test('the rules of the page and the rules named by tests are the same', async () => {
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
