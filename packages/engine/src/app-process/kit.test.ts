// Guarantees: an app written with the published app kit and zod runs unmodified: schemas, files, live fields, metadata.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { discoverSchema } from '../discover.ts'
import { startWorld, type World } from '../testing/world.ts'

const code = `
import { writeFileSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { createFileSchema, createStreamSchema, File, Live, pcm16, textMeta } from '@inferencesh/app'

const fileSchema = createFileSchema(z)

export const AppSetup = z.object({ voice: z.string().default('ara') })

export const RunInput = z.object({
  prompt: z.string().min(1).describe('The prompt'),
  image: fileSchema.optional().describe('A picture'),
})
export const RunOutput = z.object({ result: z.string(), picture: z.any().optional() })

export const TalkInput = z.object({
  effect: z.enum(['none', 'loud']).default('none'),
  audio: createStreamSchema(z, pcm16(z, 16000)),
  events: createStreamSchema(z, z.object({ type: z.string() })),
})
export const TalkOutput = z.object({ audio: createStreamSchema(z, pcm16(z, 24000)), frames: z.number() })

export class App {
  async setup(config) { this.voice = config.voice }

  async run(input, metadata) {
    const size = input.image ? readFileSync(await input.image.getPath()).length : 0
    writeFileSync('/tmp/millrace-kit-test.txt', input.prompt)
    return {
      result: this.voice + ':' + input.prompt + ':' + size + ':' + metadata.worker_id,
      picture: File.fromPath('/tmp/millrace-kit-test.txt'),
      output_meta: { inputs: [textMeta({ tokens: 3 })], outputs: [] },
    }
  }

  async talk(input, socket) {
    const live = new Live(socket, input, TalkInput, TalkOutput)
    let frames = 0
    for await (const { field, value } of live) {
      frames++
      if (field === 'audio') await live.send({ audio: value })
      if (field === 'events') await live.send({ frames: input.effect === 'loud' ? 100 : frames })
    }
    return { frames }
  }

  _private() {}
}
`
const manifest = JSON.stringify({
  type: 'module',
  dependencies: { '@inferencesh/app': '^0.1.0', zod: '^4.0.0' },
})
const files = { 'inference.js': code, 'package.json': manifest }

describe('an app of the kit', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  test('[E38] its packages come with the engine, so nothing is installed', async () => {
    const task = world.run(world.app(files), { input: { prompt: 'hi' } })
    expect(await task.end).toMatchObject({ type: 'task_completed', output: { result: 'ara:hi:0:worker-0' } })
    expect(task.logs(0)).toBe('')
  })

  test('[E39] [E40] files enter and leave by URL', async () => {
    const image = world.server.bundle(Buffer.from('12345')).repository
    const task = world.run(world.app(files), { input: { prompt: 'hi', image }, setup: { voice: 'eve' } })
    const { output } = (await task.end) as { output: { result: string; picture: string; output_meta: unknown } }
    expect(output.result).toBe('eve:hi:5:worker-0')
    expect(world.server.files.get(output.picture)?.content.toString()).toBe('hi')
    expect(output.output_meta).toEqual({ inputs: [{ type: 'text', tokens: 3 }], outputs: [] })
  })

  test('invalid input is rejected with its field', async () => {
    expect((await world.run(world.app(files), { input: { prompt: '' } }).end).error).toMatch(/^input\.prompt: /)
  })

  test('[E41] live fields work in both directions, and an invalid frame gets an error', async () => {
    const received: string[] = []
    let closed: number | undefined
    const socket = world.server.relay((caller: WebSocket) => {
      caller.on('close', (code) => {
        closed = code
      })
      caller.on('message', (data, binary) => {
        received.push(binary ? `binary:${data.toString()}` : data.toString())
        if (received.length === 1) caller.send(JSON.stringify({ nonsense: 1 }))
        if (received.length === 2) caller.send(JSON.stringify({ effect: 'loud' }))
        if (received.length === 2) caller.send(JSON.stringify({ events: { type: 'stop' } }))
        if (received.length === 3) caller.close(1000)
      })
      caller.send(Buffer.from('pcm'))
    })
    const task = world.run(world.app(files), { function: 'talk', input: {} }, { socket })
    expect(await task.end).toEqual({ type: 'task_completed', output: { frames: 3 } })
    expect(received).toEqual([
      'binary:pcm',
      '{"error":{"field":"nonsense","message":"no such field"}}',
      '{"frames":100}',
    ])
    expect(closed).toBe(1000)
  })

  test('[E41] when the function returns, the socket closes with 1000', async () => {
    let closed: (code: number) => void = () => {}
    const code = new Promise<number>((resolve) => {
      closed = resolve
    })
    const socket = world.server.relay((caller: WebSocket) => {
      caller.on('close', closed)
      caller.send('go')
    })
    const app = world.app({
      'inference.js': 'export class App { async talk(input, socket) { return { first: await socket.recv() } } }',
    })
    expect(await world.run(app, { function: 'talk' }, { socket }).end).toMatchObject({ output: { first: 'go' } })
    expect(await code).toBe(1000)
  })
})

test('discovery reads zod schemas with files and live fields marked', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kit-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  const schema = await discoverSchema({ folder, kernel: 'node-22', env: { PATH: process.env.PATH ?? '' } })
  await rm(folder, { recursive: true })
  expect(Object.keys(schema.functions)).toEqual(['run', 'talk'])
  expect(schema.setup_schema).toMatchObject({ properties: { voice: { type: 'string', default: 'ara' } } })
  expect(schema.functions.run).toMatchObject({
    kind: 'run',
    file_inputs: 'app',
    input_schema: {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'The prompt' },
        image: { type: 'string', format: 'file', description: 'A picture' },
      },
      required: ['prompt'],
    },
  })
  const binary = (rate: number) => ({
    type: 'array',
    format: 'stream',
    items: { type: 'string', format: 'binary', contentMediaType: `audio/pcm;format=s16le;rate=${rate};channels=1` },
  })
  expect(schema.functions.talk).toMatchObject({
    kind: 'stream',
    input_schema: { properties: { audio: binary(16000), events: { type: 'array', format: 'stream' } } },
    output_schema: { properties: { audio: binary(24000), frames: { type: 'number' } }, required: ['frames'] },
  })
  expect(schema.functions.talk?.input_schema).not.toHaveProperty('required')
})
