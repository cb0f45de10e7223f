// Guarantees: every server rule of docs/protocol/engine.md has a test that names it, and no test names an unknown rule.
import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const source = new URL('../../', import.meta.url)

it('the page and the tests name the same rules', async () => {
  const page = await readFile(new URL('../../../../../docs/protocol/engine.md', import.meta.url), 'utf8')
  const written = [...page.matchAll(/^- [*]{2}(S[0-9]+)[*]{2}/gm)].map((match) => String(match[1]))
  expect(new Set(written).size).toBe(written.length)
  const tested: string[] = []
  for (const folder of ['machines/engines/', 'platform/ws/']) {
    const files = (await readdir(new URL(folder, source))).filter((name) => name.endsWith('.test.ts'))
    for (const file of files) {
      const text = await readFile(new URL(folder + file, source), 'utf8')
      for (const match of text.matchAll(/\[(S[0-9]+)\]/g)) tested.push(String(match[1]))
    }
  }
  expect(tested.sort()).toEqual(written.sort())
})
