// Guarantees: an app written with the published app kit and zod schemas is deployed and runs unmodified.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, refused, startGuest } from './guest.ts'

const program = fileURLToPath(new URL('../../packages/cli/bin/millrace.mjs', import.meta.url))

const files = {
  'inf.yml':
    'name: captions\ntitle: Captions\ndescription: Writes a caption for a picture\ncategory: other\nkernel: node-22\n',
  'package.json': JSON.stringify({
    type: 'module',
    dependencies: { '@inferencesh/app': '^0.1.0', zod: '^4.0.0' },
  }),
  'inference.js': `
import { statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileSchema, File, textMeta } from '@inferencesh/app'
import { z } from 'zod'

export const AppSetup = z.object({ language: z.string().default('en') })
export const RunInput = z.object({
  title: z.string().min(1).describe('The text of the caption'),
  picture: createFileSchema(z).optional(),
})
export const RunOutput = z.object({ caption: z.string(), document: z.any() })
export const SpellInput = z.object({ word: z.string() })
export const SpellOutput = z.object({ letters: z.array(z.string()) })

export class App {
  async setup(config) { this.language = config.language }

  async run(input) {
    const sizeBytes = input.picture ? statSync(await input.picture.getPath()).size : 0
    const path = join(tmpdir(), 'caption.txt')
    writeFileSync(path, input.title)
    return {
      caption: this.language + ': ' + input.title + ' (' + sizeBytes + ' bytes)',
      document: File.fromPath(path),
      output_meta: { inputs: [], outputs: [textMeta({ tokens: 2 })] },
    }
  }

  async *spell({ word }) {
    const letters = []
    for (const letter of word) {
      letters.push(letter)
      yield { letters: [...letters] }
    }
  }
}
`,
}

type Task = { output: Record<string, unknown> }

describe('an app of the kit', () => {
  let guest: Guest
  let folder: string
  let app: string
  beforeAll(async () => {
    guest = await startGuest()
    folder = await mkdtemp(join(tmpdir(), 'millrace-kit-'))
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'deploy', folder, '--json'], {
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        MILLRACE_API_URL: guest.server.url,
        MILLRACE_API_KEY: guest.apiKey,
      },
    })
    app = (JSON.parse(stdout) as { ref: string }).ref
  })
  afterAll(async () => {
    await guest?.remove()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  it('shows its schemas', async () => {
    const { data } = await guest.client.apps.getByName(app)
    expect(data.version).toMatchObject({
      setup_schema: { properties: { language: { default: 'en' } } },
      functions: {
        run: { input_schema: { required: ['title'], properties: { picture: { format: 'file' } } } },
        spell: { output_schema: { required: ['letters'] } },
      },
    })
  })

  it('runs with setup, a picture and a document', async () => {
    const picture = new Blob([new Uint8Array(1234)], { type: 'image/png' })
    const input = { title: 'Un moulin', picture }
    const task = (await guest.client.run({ app, setup: { language: 'fr' }, input } as never)) as unknown as Task
    expect(task.output).toMatchObject({
      caption: 'fr: Un moulin (1234 bytes)',
      output_meta: { outputs: [{ type: 'text', tokens: 2 }] },
    })
    expect(await (await fetch(String(task.output.document))).text()).toBe('Un moulin')
  })

  it('streams what it yields', async () => {
    const seen: unknown[] = []
    const hear = (task: Task) => seen.push(JSON.stringify(task.output))
    const task = await guest.client.run(
      { app: `${app}:spell`, input: { word: 'mill' } } as never,
      { onUpdate: hear, onPartialUpdate: hear } as never,
    )
    expect(task).toMatchObject({ output: { letters: ['m', 'i', 'l', 'l'] } })
    expect(seen.length).toBeGreaterThan(1)
  })

  it('rejects input that does not match its schema', async () => {
    const running = guest.client.run({ app, input: { title: '' } } as never)
    expect(await refused(running)).toEqual({ status: 400, code: 'validation_error' })
  })
})
