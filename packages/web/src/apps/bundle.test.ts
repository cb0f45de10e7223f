// Guarantees: the files of a bundle are read correctly, and a bundle without a manifest keeps the settings of the version before.
import type { AppVersion } from '@millrace/contract/apps'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { discoveredIn, languageOf, textIn, versionFrom } from './bundle.ts'
import { strings } from './strings.ts'
import { zipEntries } from './zip.ts'

const packed = async (files: Readonly<Record<string, string>>, compress = true): Promise<Uint8Array<ArrayBuffer>> => {
  const zip = new ZipFile()
  zip.addEmptyDirectory('lib')
  for (const [name, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), name, { compress })
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return new Uint8Array(Buffer.concat(chunks))
}

const read = async (bytes: Uint8Array<ArrayBuffer>) =>
  Object.fromEntries(
    await Promise.all(zipEntries(bytes).map(async ({ name, read }) => [name, textIn(await read())] as const)),
  )

describe('a zip', () => {
  const files = { 'src/inference.js': 'export class App {}\n'.repeat(50), 'inf.yml': 'name: sack', 'é.txt': '' }

  it.each([true, false])('lists its files in order, without folders; compressed: %s', async (compress) => {
    const bytes = await packed(files, compress)
    expect(zipEntries(bytes).map(({ name }) => name)).toEqual(['inf.yml', 'src/inference.js', 'é.txt'])
    expect(await read(bytes)).toEqual(files)
  })

  it.each([
    ['nothing', new Uint8Array()],
    ['something else', new TextEncoder().encode('no zip at all, only words')],
  ])('that is %s is refused', (_what, bytes) => {
    expect(() => zipEntries(bytes)).toThrow(strings.code.notZip)
  })

  it('is not decompressed beyond the limit', async () => {
    const bytes = await packed({ 'bomb.txt': 'a'.repeat(50_000_000) })
    const [bomb] = zipEntries(bytes)
    expect(bytes.length).toBeLessThan(100_000)
    const unfolded = await bomb?.read()
    expect(unfolded?.length).toBeLessThan(2_000_000)
    expect(unfolded && textIn(unfolded)).toBeUndefined()
  })

  it('that is incomplete is rejected', async () => {
    expect(() => zipEntries(new Uint8Array(0))).toThrow()
    const bytes = await packed(files)
    expect(() => zipEntries(bytes.slice(200))).toThrow()
  })
})

describe('a file', () => {
  it('is shown as text only if it is valid text', () => {
    expect(textIn(new TextEncoder().encode('Mühle'))).toBe('Mühle')
    expect(textIn(new Uint8Array([0xff, 0xfe]))).toBeUndefined()
    expect(textIn(new Uint8Array([65, 0, 66]))).toBeUndefined()
    expect(textIn(new Uint8Array(200_001).fill(65))).toBeUndefined()
    expect([languageOf('a.json'), languageOf('README.md'), languageOf('main.py')]).toEqual(['json', 'markdown', 'text'])
  })
})

describe('a new bundle', () => {
  const before = {
    kernel: 'node-22',
    default_function: 'grind',
    env: { SPEED: '2' },
    functions: { grind: { name: 'grind', description: 'Grinds', kind: 'stream', input_schema: {}, output_schema: {} } },
  } as unknown as AppVersion

  it('reads its functions and keeps their kind', () => {
    const written = JSON.stringify({
      grind: { description: 'Grinds fine', input_schema: { type: 'object' } },
      sift: { description: 'Sifts' },
    })
    expect(discoveredIn(written, before).functions).toMatchObject({
      grind: { name: 'grind', description: 'Grinds fine', kind: 'stream', input_schema: { type: 'object' } },
      sift: { name: 'sift', description: 'Sifts', kind: 'run' },
    })
    expect(discoveredIn(undefined, before).functions).toBe(before.functions)
    expect(() => discoveredIn('[]', before)).toThrow(strings.deploy.schemaNotObject)
  })

  it('reads the setup schema if it is declared', () => {
    const written = JSON.stringify({ setup_schema: { type: 'object' }, functions: { sift: { kind: 'stream' } } })
    expect(discoveredIn(written, before)).toMatchObject({
      setup_schema: { type: 'object' },
      functions: { sift: { name: 'sift', kind: 'stream' } },
    })
  })

  it('keeps the other settings, and the default function if it still exists', () => {
    const app = { id: 'a1', name: 'sack' }
    const code = { repository: 'https://mill.example/media/x.zip', discovered: before }
    expect(versionFrom(app, before, code)).toMatchObject({
      id: 'a1',
      name: 'sack',
      version: { repository: code.repository, kernel: 'node-22', env: { SPEED: '2' }, default_function: 'grind' },
    })
    const other = versionFrom(app, before, {
      ...code,
      discovered: {
        functions: { sift: { name: 'sift', kind: 'run', input_schema: {}, output_schema: {} } },
        setup_schema: null,
      },
    })
    expect(other.version?.default_function).toBe('')
  })

  it('keeps the descriptions of the version before', () => {
    const discovered = discoveredIn(JSON.stringify({ grind: { description: 'Grinds fine' } }), before)
    const { version } = versionFrom({ id: 'a1', name: 'sack' }, before, { repository: '', discovered })
    expect(version?.functions?.grind?.description).toBe('Grinds')
  })
})
