// Guarantees: when a discovery returns, nothing writes to its folder or removes from it any more.

import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { discoverIn } from './discover.ts'

test('the copy of the code is removed when the discovery returns', async () => {
  const work = await mkdtemp(join(tmpdir(), 'millrace-discover-test-'))
  const folder = join(work, 'app')
  await mkdir(folder)
  await writeFile(join(folder, 'inference.mjs'), 'export class App { run() {} }')
  for (let count = 0; count < 200; count += 1) await writeFile(join(folder, `${count}.txt`), 'text')
  const root = join(work, 'root')
  await mkdir(root)
  const { schema } = await discoverIn(root, { folder, kernel: 'node-22', env: { PATH: process.env.PATH ?? '' } })
  expect(Object.keys(schema.functions)).toEqual(['run'])
  expect(await readdir(join(root, 'copies'))).toEqual([])
  await rm(work, { recursive: true })
})
