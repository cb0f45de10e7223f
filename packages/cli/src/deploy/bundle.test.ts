// Guarantees: a bundle is complete (links are followed), small (generated files are left out) and the same for the same
// files.
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { bundleFiles, schemaFiles, writeBundle } from './bundle.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-bundle-'))
})

const put = async (...names: string[]) => {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), `content of ${name}`)
  }
}
const names = async () => (await bundleFiles(folder)).map(({ name }) => name)

it('leaves out history, packages and virtual environments of any name', async () => {
  await put('inf.yml', 'src/a.js', '.git/HEAD', 'node_modules/x/index.js', 'src/node_modules/y.js', '.venv/bin/python')
  await put('my-env/pyvenv.cfg', 'my-env/lib/z.py', '__pycache__/a.pyc', '.env.example', 'environment/keep.txt')
  expect(await names()).toEqual(['.env.example', 'environment/keep.txt', 'inf.yml', 'src/a.js'])
})

it('resolves links to files and folders', async () => {
  await put('real/a.txt')
  const outside = await mkdtemp(join(tmpdir(), 'millrace-outside-'))
  await writeFile(join(outside, 'b.txt'), 'b')
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(folder, 'real/a.txt'), join(folder, 'c.txt'))
  expect(await names()).toEqual(['c.txt', 'linked/b.txt', 'real/a.txt'])
})

it('rejects a link to a parent folder', async () => {
  await put('a/b.txt')
  await symlink(folder, join(folder, 'a/up'))
  await expect(names()).rejects.toThrow('a/up/ is a link to a folder that contains the link')
})

it('lists every dangling link', async () => {
  await put('a/b.txt')
  await symlink('nowhere', join(folder, 'a/lost'))
  await symlink('/does/not/exist', join(folder, 'absolute'))
  await expect(names()).rejects.toMatchObject({ code: 'dangling_links', details: ['a/lost', 'absolute'] })
})

it('gives the same bytes for the same files at any time', async () => {
  await put('b.js', 'a.js')
  await chmod(join(folder, 'b.js'), 0o755)
  const hash = async (name: string) => {
    const target = join(await mkdtemp(join(tmpdir(), 'millrace-zip-')), name)
    await writeBundle(await bundleFiles(folder), { 'functions_schema.json': '{}' }, target)
    return createHash('sha256')
      .update(await readFile(target))
      .digest('hex')
  }
  const first = await hash('1.zip')
  await utimes(join(folder, 'a.js'), 1, 1)
  expect(await hash('2.zip')).toBe(first)
  await writeFile(join(folder, 'a.js'), 'changed')
  expect(await hash('3.zip')).not.toBe(first)
})

it('fails when a file disappears while it is packed', async () => {
  await put('a.js')
  const files = await bundleFiles(folder)
  await rm(join(folder, 'a.js'))
  await expect(writeBundle(files, {}, join(folder, 'out.zip'))).rejects.toThrow()
})

it('adds the schemas of the functions', () => {
  const functions = {
    run: { input_schema: { type: 'object' }, output_schema: null },
    other: { input_schema: null, output_schema: null },
  }
  const files = schemaFiles({ functions }, 'run')
  expect(JSON.parse(files['functions_schema.json'] ?? '')).toMatchObject({ run: { description: '' }, other: {} })
  expect(JSON.parse(files['input_schema.json'] ?? '')).toEqual({ type: 'object' })
  expect(Object.keys(schemaFiles({ functions }, 'absent'))).toEqual(['functions_schema.json'])
})
