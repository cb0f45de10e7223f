// Guarantees: an app cannot hide what it has written, and an app that fills the disk of the engine is ended before the
// disk is full.

import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeFolder } from '../files/safe-open.ts'
import { crossedDiskLimit, type DiskLimits, watchDisk } from './disk-watch.ts'

const limits: DiskLimits = { scratchBytes: 4e6, persistentBytes: 4e6, files: 100, freeBytes: 0 }
const content = Buffer.alloc(3e6, 1)

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-disk-watch-'))
})
afterEach(async () => {
  await removeFolder(root)
  await rm(root, { recursive: true, force: true })
})

const watched = (unlinkedBytes = async () => 0) => ({ scratch: [root], persistent: [], unlinkedBytes })

test('[E46] files and folders with names that are not UTF-8 count', async () => {
  const folder = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])])
  await mkdir(folder)
  await writeFile(Buffer.concat([folder, Buffer.from('/'), Buffer.from([0xfe])]), content)
  expect(await crossedDiskLimit(watched(), limits)).toBeUndefined()
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfd])]), content)
  expect(await crossedDiskLimit(watched(), limits)).toBe('disk limit of 4 MB exceeded')
})

test('[E46] a folder deeper than the path limit is rejected, because it cannot be measured', async () => {
  execFileSync(process.execPath, [
    '-e',
    `const fs = require('node:fs'); process.chdir(process.argv[1]); const name = 'd'.repeat(200)
     for (let depth = 0; depth < 30; depth++) { fs.mkdirSync(name); process.chdir(name) }`,
    root,
  ])
  expect(await crossedDiskLimit(watched(), limits)).toBe('the app made a folder that cannot be measured (ENAMETOOLONG)')
})

test('[E46] while free disk space is below the limit, the app that writes is ended', async () => {
  let measured = 0
  const over = new Promise<string>((resolve) => {
    const unlinkedBytes = async () => measured++ * 2e6
    const watch = watchDisk(watched(unlinkedBytes), { ...limits, scratchBytes: 1e12, freeBytes: 1e18 }, resolve)
    watch.work()
  })
  expect(await over).toBe('the disk of the engine has less than 1000000000000 MB left')
  expect(measured).toBe(2)
})
