// Guarantees: while an app changes its folders, the engine reads and removes only files inside them, and removes them
// all.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyFolder, openFileSafely, readTextSafely, removeFolder, UnsafeFile } from './safe-open.ts'

let root: string
let own: string
let secret: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-safe-open-'))
  own = join(root, 'own')
  secret = join(root, 'host', 'secret')
  await mkdir(join(root, 'host'))
  await writeFile(secret, 'a file of the host')
})
afterAll(() => rm(root, { recursive: true, force: true }))

const refusalOf = (path: string) =>
  openFileSafely(own, path).then(
    async (file) => {
      await file.close()
      return 'opened'
    },
    (error: unknown) => (error instanceof UnsafeFile ? error.refusal : String(error)),
  )

describe('opening', () => {
  beforeAll(async () => {
    await mkdir(join(own, 'folder'), { recursive: true })
    await writeFile(join(own, 'folder', 'file'), 'mine')
    await symlink(secret, join(own, 'link'))
    await symlink(join(root, 'host'), join(own, 'linked-folder'))
    await link(secret, join(own, 'hard-link'))
    execFileSync('mkfifo', [join(own, 'fifo')])
  })

  test.each([
    ['folder/file', 'opened'],
    ['./folder//file', 'opened'],
    ['folder/../folder/file', 'missing'],
    ['../host/secret', 'missing'],
    ['nothing', 'missing'],
    ['folder', 'not a regular file'],
    ['link', 'not a regular file'],
    ['linked-folder/secret', 'leads outside'],
    ['folder/file/beyond', 'leads outside'],
    ['hard-link', 'not a regular file'],
    ['fifo', 'not a regular file'],
    ['x/'.repeat(500), 'missing'],
  ])('[E40] %s: %s', async (path, expected) => {
    expect(await refusalOf(path)).toBe(expected)
  })

  test('small texts only', async () => {
    expect(await readTextSafely(own, 'folder/file', 4)).toBe('mine')
    expect(await readTextSafely(own, 'folder/file', 3)).toBeUndefined()
    expect(await readTextSafely(own, 'link', 100)).toBeUndefined()
  })
})

/** Another process that keeps replacing a file and a folder by links to the host. */
const startSwapping = (folder: string) => {
  const script = `
    const { renameSync, symlinkSync, mkdirSync, writeFileSync } = require('node:fs')
    const [own, host] = process.argv.slice(1)
    process.chdir(own)
    writeFileSync('real', 'mine'); mkdirSync('real-dir'); writeFileSync('real-dir/secret', 'mine')
    symlinkSync(host + '/secret', 'evil'); symlinkSync(host, 'evil-dir')
    process.stdout.write('up')
    for (;;) {
      try {
        renameSync('real', 'a'); renameSync('a', 'real'); renameSync('evil', 'a'); renameSync('a', 'evil')
        renameSync('real-dir', 'b'); renameSync('b', 'real-dir'); renameSync('evil-dir', 'b'); renameSync('b', 'evil-dir')
      } catch { process.exit() }
    }`
  const child = spawn(process.execPath, ['-e', script, folder, join(root, 'host')], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const up = new Promise((resolve) => child.stdout.once('data', resolve))
  return { up, child }
}

describe.skipIf(!existsSync('/proc/self/fd'))('against a process that replaces files concurrently', () => {
  test('[E40] no file of the host is ever read or removed', async () => {
    const folder = join(root, 'swapped')
    await mkdir(folder)
    const { up, child } = startSwapping(folder)
    await up
    try {
      const contents = new Set<string>()
      for (let round = 0; round < 3000; round++) {
        for (const path of ['a', 'b/secret']) contents.add((await readTextSafely(folder, path, 100)) ?? 'none')
      }
      expect([...contents].sort()).toEqual(['mine', 'none'])
      await emptyFolder(folder)
    } finally {
      child.kill('SIGKILL')
    }
    expect(await readFile(secret, 'utf8')).toBe('a file of the host')
  })

  test('[E32] a tree deeper than the path limit is removed, including closed folders', async () => {
    const folder = join(root, 'deep')
    await mkdir(folder)
    execFileSync(process.execPath, [
      '-e',
      `const fs = require('node:fs'); process.chdir(process.argv[1])
       for (let i = 0; i < 3000; i++) { fs.mkdirSync('d'); fs.writeFileSync('f', ''); process.chdir('d') }`,
      folder,
    ])
    execFileSync('sh', ['-c', 'mkdir -p closed/inner && touch closed/inner/f && chmod 0 closed/inner closed'], {
      cwd: folder,
    })
    await symlink(join(root, 'host'), join(folder, 'link'))
    await emptyFolder(folder)
    expect(await readdir(folder)).toEqual([])
    await removeFolder(folder)
    expect(existsSync(folder)).toBe(false)
    expect(existsSync(secret)).toBe(true)
  })
})

// 0xff never occurs in UTF-8.
const strangeName = Buffer.from([0x61, 0xff, 0x62])
const inside = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name])

describe.skipIf(!existsSync('/proc/self/fd'))('an app that hides its files', () => {
  test('[E32] files and folders whose names are not UTF-8 are removed', async () => {
    const folder = join(root, 'strange')
    await mkdir(folder)
    await mkdir(inside(folder, strangeName))
    await writeFile(Buffer.concat([inside(folder, strangeName), Buffer.from('/'), strangeName]), 'x')
    await writeFile(inside(folder, Buffer.from([0xfe])), 'x')
    await removeFolder(folder)
    expect(existsSync(folder)).toBe(false)
  })

  test('[E32] a folder without any permission is emptied', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-closed-'))
    await chmod(folder, 0o777)
    // Root can read closed folders, so another user empties the folder.
    const emptied = spawnSync(
      process.execPath,
      [
        ...['--input-type=module', '-e'],
        `import fs from 'node:fs'
         import { emptyFolder } from ${JSON.stringify(new URL('./safe-open.ts', import.meta.url).href)}
         if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534) }
         const own = process.argv[1] + '/own'
         fs.mkdirSync(own + '/inner', { recursive: true }); fs.writeFileSync(own + '/inner/f', '')
         fs.chmodSync(own + '/inner', 0); fs.chmodSync(own, 0)
         await emptyFolder(own)
         fs.chmodSync(own, 0o700)
         console.log(JSON.stringify(fs.readdirSync(own)))`,
        folder,
      ],
      { encoding: 'utf8' },
    )
    expect(emptied.stderr).toBe('')
    expect(JSON.parse(emptied.stdout)).toEqual([])
    await rm(folder, { recursive: true })
  })
})
