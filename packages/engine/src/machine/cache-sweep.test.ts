// Guarantees: unused caches of apps are removed and used ones are kept.

import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sweepAppCaches } from './cache-sweep.ts'

test('an unused app of a workspace keeps its data and loses its cache', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-sweep-'))
  for (const place of ['app/old/data', 'app/old/cache/deep', 'app/used/cache'])
    await mkdir(join(root, place), { recursive: true })
  const longAgo = new Date(Date.now() - 10_000)
  await utimes(join(root, 'app/old'), longAgo, longAgo)
  expect(await sweepAppCaches(root, 5_000, Date.now())).toEqual(['app/old'])
  expect(await readdir(join(root, 'app/old'))).toEqual(['data'])
  expect(await readdir(join(root, 'app/used'))).toEqual(['cache'])
  await rm(root, { recursive: true })
})
