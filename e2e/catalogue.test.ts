// Guarantees: apps in the forms of the public catalog are deployed with the CLI and run unmodified: zod 3 and 4
// schemas, pydantic models, input and output files, generators, several functions, sessions, setup, packages.txt.
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Guest, startGuest } from './sdk/guest.ts'
import { runCli } from './support/cli.ts'

type Task = { id: string; output: Record<string, unknown>; session_id: string }
type Case = { name: string; run?: object; output: object; said?: RegExp; texts?: Record<string, string> }

const catalogue = fileURLToPath(new URL('catalogue/', import.meta.url))
/** Uses the Python that apps get: the system's, without user packages. Apps require pydantic 2. */
const second = 'import pydantic; assert int(pydantic.VERSION.split(".")[0]) >= 2'
const hasPydantic =
  spawnSync('python3', ['-I', '-c', second], { env: { PATH: '/usr/local/bin:/usr/bin:/bin' } }).status === 0
const address = 'https://example.com/film.mp4'
const text = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/media\/.+\.txt$/)

const nodeCases: Case[] = [
  { name: 'node-zod4', run: { input: { prompt: 'hi', style: 'loud' } }, output: { text: 'HI HI' } },
  { name: 'node-zod3', run: { input: { prompt: 'hi', tags: ['a', 7] } }, output: { text: 'hi hi', tags: ['a', 7] } },
  {
    name: 'node-files',
    run: { input: { document: 'FILE' } },
    output: { document: text, pages: [text] },
    texts: { document: 'SOME WORDS' },
  },
  { name: 'node-setup', run: { input: { text: 'hi' }, setup: { voice: 'eve' } }, output: { said: 'eve: hi' } },
  { name: 'node-functions', run: { function: 'get_all', input: {} }, output: { items: ['oak', 'elm'] } },
  { name: 'node-functions', run: { function: 'findOne', input: { name: 'elm' } }, output: { found: true } },
  { name: 'node-generator', run: { input: {} }, output: { response: 'a b c ' } },
  { name: 'node-generator', run: { function: 'steps', input: {} }, output: { step: 3 } },
  {
    name: 'node-beside',
    run: { input: { text: 'ab' } },
    output: { text: 'ab' },
    said: /category: gardening is unknown[\s\S]*node-beside-2-5@/,
  },
]

const pythonCases: Case[] = [
  {
    name: 'python-text',
    run: { input: { prompt: 'hi', style: 'loud' } },
    output: { text: 'HI', output_meta: { outputs: [{ type: 'image', width: 8, height: 8, count: 1 }] } },
  },
  {
    name: 'python-files',
    run: { input: { document: 'FILE' } },
    output: { document: text, pages: [text], name: 'große worte.txt' },
    texts: { document: 'SOME WORDS' },
  },
  { name: 'python-addresses', run: { input: { address } }, output: { video: address, clips: [address] } },
  { name: 'python-generator', run: { input: { to: 4 } }, output: { step: 4 } },
  { name: 'python-metadata', run: { input: {} }, output: { same_app: true, unknown: true, by_key: true } },
  { name: 'python-setup', run: { input: { text: 'hi' }, setup: { voice: 'eve' } }, output: { said: 'eve: hi' } },
  { name: 'python-functions', run: { function: 'get_all', input: {} }, output: { items: ['oak', 'elm'] } },
  {
    name: 'python-functions',
    run: { function: 'describe', input: {} },
    output: { kind: 'tree', planted: '2020-02-29' },
  },
  {
    name: 'python-packages',
    run: { input: {} },
    output: { ran: true },
    said: /packages\.txt lists millrace-no-such-package, which this machine does not have; the engine that runs the app needs them/,
  },
  {
    name: 'python-paths',
    run: { input: {} },
    output: {
      scene: expect.stringMatching(/^http.+\.obj$/),
      size: { path: expect.stringMatching(/^http.+\.obj$/), bytes: 8 },
    },
    texts: { scene: 'v 0 0 0\n' },
  },
  {
    name: 'python-paths',
    run: { function: 'keep', input: {} },
    output: { kept: text },
    texts: { kept: 'kept' },
  },
  {
    name: 'python-model-file',
    run: { input: { text: 'hi' } },
    output: { image: expect.stringMatching(/^http.+\.svg$/) },
    texts: { image: '<svg>hi</svg>' },
  },
]

describe('apps of the catalogue', () => {
  let guest: Guest
  let folder: string
  const deployed = new Map<string, Promise<{ ref: string; said: string }>>()
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-catalogue-'))
    guest = await startGuest()
  })
  afterAll(async () => {
    await guest?.remove()
    await rm(folder, { recursive: true, force: true })
  })

  /** Deploys the folder with one command, as app authors do. */
  const deploy = async (name: string) => {
    const own = join(folder, name)
    await cp(join(catalogue, name), own, { recursive: true })
    if (name.startsWith('python')) await cp(join(catalogue, 'stand-in'), own, { recursive: true })
    const env = { MILLRACE_API_URL: guest.server.url, MILLRACE_API_KEY: guest.apiKey }
    const { code, out, err } = await runCli({ cwd: own, configDir: join(folder, 'config'), env }, ['deploy'])
    if (code !== 0) throw new Error(`${name} was not deployed: ${err}`)
    return { ref: out.trim(), said: err + out }
  }
  const once = (name: string) => {
    const known = deployed.get(name) ?? deploy(name)
    deployed.set(name, known)
    return known
  }
  const run = async (ref: string, params: object) => (await guest.client.run({ app: ref, ...params } as never)) as Task

  const works = async ({ name, run: params = {}, output, said, texts = {} }: Case) => {
    const app = await once(name)
    if (said) expect(app.said).toMatch(said)
    const stored = JSON.stringify(params).includes('"FILE"')
      ? ((await guest.client.uploadFile(new Blob(['some words'], { type: 'text/plain' }), {
          filename: 'große worte.txt',
        })) as unknown as { uri: string })
      : { uri: '' }
    const task = await run(app.ref, JSON.parse(JSON.stringify(params).replace('"FILE"', JSON.stringify(stored.uri))))
    expect(task.output).toEqual(output)
    for (const [key, content] of Object.entries(texts))
      expect(await (await fetch(String(task.output[key]))).text()).toBe(content)
  }

  it.each(nodeCases)('$name runs $run', works)
  it.skipIf(!hasPydantic).each(pythonCases)('$name runs $run', works)

  it.skipIf(!hasPydantic)('python-session keeps its state', async () => {
    const { ref } = await once('python-session')
    const first = await run(ref, { input: { by: 2 }, session: 'new' })
    const second = await run(ref, { input: { by: 3 }, session: first.session_id })
    await guest.client.sessions.end(first.session_id)
    expect(second.output).toEqual({ total: 5 })
  })

  it.skipIf(!hasPydantic)('rejects a machine path in an output', async () => {
    const { ref } = await once('python-paths')
    await expect(run(ref, { function: 'leak', input: {} })).rejects.toThrow(
      "the output contains inference.py in the app's own folder as a path; return a File to upload it",
    )
  })

  it('publishes the same schema for zod 3 and zod 4', async () => {
    const { ref } = await once('node-zod3')
    const { data: app } = await guest.client.apps.getByName(ref.replace(/@.*$/, ''))
    expect(app.version.functions.run.input_schema).toEqual({
      type: 'object',
      required: ['prompt'],
      properties: {
        prompt: { type: 'string', minLength: 1, maxLength: 100, description: 'The text to say' },
        times: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
        style: { type: 'string', enum: ['plain', 'loud'] },
        picture: { type: 'string', format: 'file', description: 'A picture' },
        options: {
          type: 'object',
          required: ['seed'],
          properties: { seed: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
        },
        tags: { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 7 }] }, default: [] },
      },
    })
  })

  it('every app of the folder is covered', async () => {
    const tried = new Set([...nodeCases, ...pythonCases].map(({ name }) => name))
    const names = (await readdir(catalogue)).filter((name) => name !== 'stand-in')
    expect(names.toSorted()).toEqual([...tried, 'python-session'].toSorted())
    expect(names.length).toBeGreaterThanOrEqual(15)
  })
})
