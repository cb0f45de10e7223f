import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyCode } from './code-copy.ts'

// 0xff never occurs in UTF-8.
const strangeName = Buffer.from([0x61, 0xff])

describe('the code copy of an app process', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-copy-'))
    const bundle = join(root, 'bundle')
    await mkdir(join(bundle, 'lib', 'node_modules', 'kit'), { recursive: true })
    await writeFile(join(bundle, 'lib', 'tool.sh'), 'echo', { mode: 0o755 })
    await writeFile(join(bundle, 'lib', 'node_modules', 'kit', 'index.js'), 'kit')
    await writeFile(join(bundle, 'weights.bin'), '')
    await truncate(join(bundle, 'weights.bin'), 17 * 1024 * 1024)
    await symlink('lib/tool.sh', join(bundle, 'tool'))
    await mkdir(join(bundle, 'lib', 'node_modules', '@scope', 'part'), { recursive: true })
    execFileSync('mkfifo', [join(bundle, 'pipe')])
    await writeFile(Buffer.concat([Buffer.from(`${bundle}/lib/`), strangeName]), 'strange')
    await copyCode(bundle, join(root, 'code'), bundle)
  })
  afterAll(() => rm(root, { recursive: true }))

  test('small files are copied with their modes', async () => {
    await writeFile(join(root, 'code', 'lib', 'tool.sh'), 'changed')
    expect(await readFile(join(root, 'bundle', 'lib', 'tool.sh'), 'utf8')).toBe('echo')
    expect((await stat(join(root, 'code', 'lib', 'tool.sh'))).mode & 0o777).toBe(0o755)
  })

  test('large files are links to the bundle inside the sandbox', async () => {
    expect(await readlink(join(root, 'code', 'weights.bin'))).toBe(join(root, 'bundle', 'weights.bin'))
    expect((await stat(join(root, 'code', 'weights.bin'))).size).toBe(17 * 1024 * 1024)
  })

  test('a tool can change the installed packages without changing the bundle', async () => {
    const packages = join(root, 'code', 'lib', 'node_modules')
    await mkdir(join(packages, '.cache'))
    await writeFile(join(packages, 'kit', 'index.js'), 'changed')
    await writeFile(join(packages, '@scope', 'part', 'downloaded'), 'new')
    const kept = join(root, 'bundle', 'lib', 'node_modules')
    expect((await readdir(kept, { recursive: true })).sort()).toEqual(['@scope', '@scope/part', 'kit', 'kit/index.js'])
    expect(await readFile(join(kept, 'kit', 'index.js'), 'utf8')).toBe('kit')
  })

  test('a file whose name is not UTF-8 is copied', async () => {
    expect(await readFile(Buffer.concat([Buffer.from(`${root}/code/lib/`), strangeName]), 'utf8')).toBe('strange')
  })

  test('a pipe is skipped', async () => {
    expect((await readdir(join(root, 'code'))).sort()).toEqual(['lib', 'tool', 'weights.bin'])
  })

  test('a link is copied as a link', async () => {
    expect(await readlink(join(root, 'code', 'tool'))).toBe('lib/tool.sh')
  })
})
