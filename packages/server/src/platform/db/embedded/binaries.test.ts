// Guarantees: the server's libraries are found although npm ran no install script; a copy is complete and private.
import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { binaryIn, copyBinaries, ensureLibraryLinks, locateBinaries } from './binaries.ts'
import { emptyFolder, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

const createPackage = () => {
  const dir = emptyFolder()
  for (const folder of ['native/bin', 'native/lib/pkgconfig']) mkdirSync(join(dir, folder), { recursive: true })
  writeFileSync(join(dir, 'native/bin/postgres'), 'server', { mode: 0o700 })
  writeFileSync(join(dir, 'native/lib/libx.so.1.2'), 'library', { mode: 0o600 })
  writeFileSync(join(dir, 'native/lib/libx.a'), 'for compilers')
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }]
  writeFileSync(join(dir, 'native/pg-symlinks.json'), JSON.stringify(links))
  return dir
}

test('this machine has its binaries', async () => {
  const { nativeDir } = await locateBinaries()
  expect([binaryIn(nativeDir, 'postgres'), binaryIn(nativeDir, 'initdb')].map((path) => existsSync(path))).toEqual([
    true,
    true,
  ])
})

test('missing library links are created once', async () => {
  const dir = createPackage()
  await ensureLibraryLinks(dir)
  await ensureLibraryLinks(dir)
  expect(readlinkSync(join(dir, 'native/lib/libx.so.1'))).toBe('libx.so.1.2')
})

test('a copy is executable by everyone, omits development files and is created once', async () => {
  const dir = createPackage()
  await ensureLibraryLinks(dir)
  const binaries = { nativeDir: join(dir, 'native'), packageVersion: '1' }
  const root = emptyFolder()
  const copy = await copyBinaries(binaries, root)
  const mode = (path: string) => statSync(join(copy, path)).mode & 0o777
  expect([mode('.'), mode('bin/postgres'), mode('lib/libx.so.1')]).toEqual([0o755, 0o755, 0o644])
  expect([existsSync(join(copy, 'lib/libx.a')), existsSync(join(copy, 'lib/pkgconfig'))]).toEqual([false, false])
  writeFileSync(join(dir, 'native/bin/postgres'), 'changed')
  expect(await copyBinaries(binaries, root)).toBe(copy)
  expect(readFileSync(join(copy, 'bin/postgres'), 'utf8')).toBe('server')
})

test('a copy that others can write is not used', async () => {
  const binaries = { nativeDir: join(createPackage(), 'native'), packageVersion: '1' }
  const root = emptyFolder()
  chmodSync(await copyBinaries(binaries, root), 0o777)
  await expect(copyBinaries(binaries, root)).rejects.toThrow()
})
