// Guarantees: a Python app behaves like a Node app: yields, deltas, files, logs, cancel, sockets, failures. Skipped on
// a host without Python.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { discoverSchema } from '../discover.ts'
import { startWorld, type World } from '../testing/world.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0
const hasPydantic = hasPython && spawnSync('python3', ['-c', 'import pydantic']).status === 0

describe.skipIf(!hasPython)('Python apps', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  const appOn = (on: World, body: string) => on.app({ 'inference.py': body }, 'python-3.11')
  const app = (body: string) => appOn(world, body)

  test('the shipped word-count counts a text and a file', async () => {
    const wordCount = await world.shippedApp('word-count')
    const frequent = [{ word: 'to', count: 2 }]
    expect(await world.run(wordCount, { input: { text: 'to be or not to be', top: 1 } }).end).toEqual({
      type: 'task_completed',
      output: { words: 6, lines: 1, characters: 18, most_frequent: frequent },
    })
    const file = world.server.bundle(Buffer.from('one two\nthree\n')).repository
    expect(await world.run(wordCount, { input: { file } }).end).toMatchObject({ output: { words: 3, lines: 2 } })
    expect((await world.run(wordCount, { input: { txt: 'hi' } }).end).error).toBe(
      'the input has no field txt; its fields are text, file, top',
    )
  })

  const outcomes: { claim: string; code: string; input?: object; end: object; outputs?: unknown[] }[] = [
    {
      claim: 'a plain function',
      code: 'class App:\n  def run(self, input):\n    return {"got": input}',
      end: { output: { got: {} } },
    },
    {
      claim: 'an async generator: the last yield',
      code: 'class App:\n  async def run(self, input):\n    yield {"n": 1}\n    yield {"n": 2}',
      end: { output: { n: 2 } },
      outputs: [{ n: 1 }, { n: 2 }],
    },
    {
      claim: 'a sync generator: the returned value',
      code: 'class App:\n  def run(self, input):\n    yield {"n": 1}\n    return {"n": 9}',
      end: { output: { n: 9 } },
      outputs: [{ n: 1 }],
    },
    {
      claim: 'deltas alone: their sum',
      code: 'from millrace import Delta\nclass App:\n  async def run(self, input):\n    yield Delta(response="a")\n    yield Delta(response="b")',
      end: { output: { response: 'ab' } },
      outputs: [{ response: 'a' }, { response: 'b' }],
    },
    {
      claim: 'an exception',
      code: 'class App:\n  def run(self, input):\n    raise ValueError("no such thing")',
      end: { type: 'task_failed', error: 'ValueError: no such thing\n    at run (inference.py:3)' },
    },
    {
      claim: 'NaN, which JSON cannot represent',
      code: 'class App:\n  def run(self, input):\n    return {"list": [{"x": float("nan")}]}',
      end: { type: 'task_failed', error: 'the output is not valid JSON: list.0.x is nan' },
    },
    {
      claim: 'a value without a JSON form',
      code: 'class App:\n  def run(self, input):\n    return {"x": {1, 2}}',
      end: { type: 'task_failed', error: 'the output is not valid JSON: x is of type set' },
    },
    {
      claim: 'an unknown field',
      code: 'class Input:\n  def __init__(self, text, top=5): pass\nclass App:\n  def run(self, input: Input): pass\nRunInput = Input',
      input: { text: 'a', txt: 'hi' },
      end: { type: 'task_failed', error: 'the input has no field txt; its fields are text, top' },
    },
    {
      claim: 'a missing field',
      code: 'class RunInput:\n  def __init__(self, text, top=5): pass\nclass App:\n  def run(self, input): pass',
      input: { top: 1 },
      end: { type: 'task_failed', error: 'the input has no value for text' },
    },
    {
      claim: 'an app that exits',
      code: 'import os\nclass App:\n  def run(self, input):\n    os._exit(5)',
      end: { type: 'task_failed', error: expect.stringMatching(/\(exit code 5\)/) },
    },
    {
      claim: 'a file that cannot be imported',
      code: 'class App\n',
      end: {
        type: 'task_failed',
        error: expect.stringMatching(/^the app could not be loaded: SyntaxError.*\n {4}at inference\.py:\d+$/),
      },
    },
  ]
  test.each(outcomes)('$claim', async ({ code, input = {}, end, outputs }) => {
    const task = world.run(app(code), { input })
    expect(await task.end).toMatchObject(end)
    if (outputs) expect(task.outputs()).toEqual(outputs)
    const next = app('class App:\n  def run(self, input):\n    return 1')
    expect(await world.run(next).end).toEqual({ type: 'task_completed', output: 1 })
  })

  const imports: { claim: string; files: Record<string, string>; output: unknown }[] = [
    {
      claim: 'relative ones of siblings, of packages and of the package itself',
      files: {
        '__init__.py': 'from .helper import name\n',
        'helper.py': 'from .deep.inner import name\n',
        'deep/inner.py': 'from ..names import NAME\nname = NAME\n',
        'names.py': 'NAME = "relative"\n',
        'inference.py': 'from . import helper, name\nclass App:\n  def run(self, input): return [helper.name, name]\n',
      },
      output: ['relative', 'relative'],
    },
    {
      claim: 'plain ones of siblings, also of the entry',
      files: {
        'helper.py': 'def name():\n  import inference\n  return inference.NAME\n',
        'inference.py':
          'import helper\nNAME = "plain"\nclass App:\n  def run(self, input): return [helper.name(), __import__("inference").App is App]\n',
      },
      output: ['plain', true],
    },
    {
      claim: 'siblings with the names of the runner’s own modules',
      files: {
        'errors.py': 'NAME = "the app’s"\n',
        'outputs.py': 'NAME = "the app’s"\n',
        'inference.py':
          'import errors, outputs\nclass App:\n  def run(self, input): return [errors.NAME, outputs.NAME]\n',
      },
      output: ['the app’s', 'the app’s'],
    },
    {
      claim: 'a sibling from a process that the app starts',
      files: {
        'helper.py': 'def double(n): return 2 * n\n',
        'inference.py':
          'import multiprocessing\nfrom .helper import double\nclass App:\n  def run(self, input):\n    with multiprocessing.get_context("spawn").Pool(1) as pool: return pool.map(double, [21])\n',
      },
      output: [42],
    },
  ]
  test.each(imports)('[E52] imports: $claim', async ({ files, output }) => {
    expect(await world.run(world.app(files, 'python-3.11')).end).toEqual({ type: 'task_completed', output })
  })

  const catalogueApp = `
from typing import Optional
from pydantic import Field
from inferencesh import BaseApp, BaseAppInput, BaseAppOutput, File, OutputMeta, TextMeta
class AppInput(BaseAppInput):
  text: str = Field(description="Text")
  file: Optional[File] = None
class AppOutput(BaseAppOutput):
  file: File
  length: int
class App(BaseApp):
  async def setup(self, metadata):
    self.variant = metadata.app_variant
  async def run(self, input_data: AppInput) -> AppOutput:
    import os
    path = os.path.join(os.environ["TMPDIR"], "out.txt")
    with open(input_data.file.path) as source, open(path, "w") as target:
      target.write(source.read() + input_data.text)
    meta = OutputMeta(outputs=[TextMeta(tokens=3)])
    return AppOutput(file=File(path=path), length=os.path.getsize(path), output_meta=meta)
`

  test.skipIf(!hasPydantic)('an app that does not list inferencesh has its models and files', async () => {
    const published = app(catalogueApp)
    const file = world.server.bundle(Buffer.from('one ')).repository
    const { output } = (await world.run(published, { input: { text: 'two', file } }).end) as {
      output: { file: string }
    }
    expect(output).toMatchObject({ length: 7, output_meta: { outputs: [{ type: 'text', tokens: 3 }] } })
    expect(world.server.files.get(output.file)?.content.toString()).toBe('one two')
  })

  test.skipIf(!hasPydantic)('its schemas mark files and keep the order of the code', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-python-'))
    await writeFile(join(folder, 'inference.py'), catalogueApp)
    const { functions } = await discoverSchema({ folder, kernel: 'python-3.11', env: { PATH: process.env.PATH ?? '' } })
    await rm(folder, { recursive: true })
    expect(Object.keys(functions)).toEqual(['run'])
    const output = functions.run?.output_schema as { properties: object; $defs: object }
    expect(Object.keys(output.properties)).toEqual(['file', 'length', 'output_meta'])
    expect(output.properties).toMatchObject({ file: { type: 'string', format: 'file' } })
  })

  test.skipIf(!hasPydantic)('an installed inferencesh is preferred', async () => {
    const files = {
      'inferencesh.py': 'NAME = "installed"\n',
      'inference.py': 'from inferencesh import NAME\nclass App:\n  def run(self, input): return NAME\n',
    }
    expect(await world.run(world.app(files, 'python-3.11')).end).toMatchObject({ output: 'installed' })
  })

  test('an endless loop', async () => {
    const hurried = await startWorld({ settings: { task_limit_seconds: 2 } })
    const endless = appOn(hurried, 'class App:\n  async def run(self, input):\n    while True:\n      pass')
    expect(await hurried.run(endless).end).toEqual({ type: 'task_failed', error: 'time limit of 2 s exceeded' })
    // On a slow machine, two seconds may be too short to start a process.
    const next = appOn(hurried, 'class App:\n  def run(self, input):\n    return 1')
    await expect.poll(() => hurried.run(next).end).toEqual({ type: 'task_completed', output: 1 })
    await hurried.close()
  })

  test('setup, state, logs and files', async () => {
    const body = `
import os, sys
from millrace import File
class App:
  calls = 0
  async def setup(self, config):
    self.config = config
    print("ready")
  async def run(self, input):
    self.calls += 1
    print("out"); print("err", file=sys.stderr)
    path = os.path.join(os.environ["TMPDIR"], "a.txt")
    with open(path, "w") as f: f.write("hi")
    with open("/tmp/millrace-python-test.txt", "w") as f: f.write("ho")
    return {"calls": self.calls, "config": self.config, "own": {"path": path}, "made": File(path="/tmp/millrace-python-test.txt")}
`
    const published = app(body)
    const first = world.run(published, { setup: { a: 1 } })
    const { output } = (await first.end) as { output: { own: string; made: string } }
    expect(output).toMatchObject({ calls: 1, config: { a: 1 } })
    expect(world.server.files.get(output.own)?.content.toString()).toBe('hi')
    expect(world.server.files.get(output.made)?.content.toString()).toBe('ho')
    expect(first.logs(3)).toBe('ready\n')
    expect(first.logs(1).split('\n').sort()).toEqual(['', 'err', 'out'])
    expect(await world.run(published, { setup: { a: 1 } }).end).toMatchObject({ output: { calls: 2 } })
  })

  test('cancel reaches the handler of a sync function', async () => {
    const task = world.run(
      app(
        'import time\nclass App:\n  stop = False\n  def run(self, input):\n    while not self.stop: time.sleep(0.01)\n    return 1\n  async def on_cancel(self):\n    self.stop = True',
      ),
    )
    await task.seen('task_running')
    world.server.send({ type: 'task_cancel', data: { task: { id: task.id }, timeout: 600_000 } })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    expect((await task.seen('task_cancel_result')).data).toMatchObject({ ok: true })
  })

  test('[E41] a stream function exchanges frames with the caller', async () => {
    const received: string[] = []
    const socket = world.server.relay((caller: WebSocket) => {
      caller.on('message', (data, binary) => {
        received.push(binary ? `binary ${data.toString()}` : data.toString())
        if (received.length === 3) caller.close(1000)
      })
      caller.send('hello')
      caller.send(Buffer.from('bytes'))
      caller.send('x'.repeat(70_000))
    })
    const task = world.run(
      app(
        'class App:\n  async def talk(self, input, socket):\n    n = 0\n    async for frame in socket:\n      n += 1\n      await socket.send(frame)\n    return {"n": n}',
      ),
      { function: 'talk' },
      { socket },
    )
    expect(await task.end).toEqual({ type: 'task_completed', output: { n: 3 } })
    expect(received).toEqual(['hello', 'binary bytes', 'x'.repeat(70_000)])
  })

  const talking = (fields: string) => `
${fields}
class App:
  async def talk(self, input: Talk, socket):
    return {"audio": input.audio, "text": input.text}`
  const stream = '{"type": "array", "format": "stream"}'
  const plain = talking(`
class Talk:
  json_schema = {"type": "object", "properties": {"audio": ${stream}, "text": {"type": "string"}}, "required": ["audio", "text"]}
  def __init__(self, audio, text):
    self.audio, self.text = audio, text`)
  const typed = talking(`
from pydantic import BaseModel, Field
class Talk(BaseModel):
  audio: list[bytes] = Field(json_schema_extra={"format": "stream"})
  text: str`)

  const neverRequired = async (code: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-python-'))
    await writeFile(join(folder, 'inference.py'), code)
    const { functions } = await discoverSchema({ folder, kernel: 'python-3.11', env: { PATH: process.env.PATH ?? '' } })
    await rm(folder, { recursive: true })
    expect(functions.talk).toMatchObject({ kind: 'stream', input_schema: { required: ['text'] } })
    const socket = world.server.relay(() => {})
    const task = world.run(app(code), { function: 'talk', input: { text: 'hi' } }, { socket })
    expect(await task.end).toMatchObject({ type: 'task_completed', output: { audio: [], text: 'hi' } })
  }
  test('a live field of a class is never required', () => neverRequired(plain))
  test.skipIf(!hasPydantic)('a live field of a model is never required', () => neverRequired(typed))

  test('[E27] a cancel ends a pending read of frames', async () => {
    const socket = world.server.relay(() => {})
    const talking = app(
      'class App:\n  async def talk(self, input, socket):\n    async for frame in socket: pass\n    return 1\n  async def on_cancel(self): pass\n  async def ok(self, input): return 1',
    )
    const task = world.run(talking, { function: 'talk' }, { socket })
    await task.seen('task_running')
    world.server.send({ type: 'task_cancel', data: { task: { id: task.id }, timeout: 600_000 } })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    const next = world.run(talking, { function: 'ok' })
    expect(await next.end).toMatchObject({ type: 'task_completed' })
    expect(next.types()).not.toContain('task_preparing')
  })

  test.skipIf(!hasPydantic)('typed models become schemas, are validated, and are serialized', async () => {
    const published = app(`
from pydantic import BaseModel, Field
from typing import AsyncGenerator
class AppSetup(BaseModel):
  size: int = 1
class RunInput(BaseModel):
  text: str = Field(min_length=2)
class RunOutput(BaseModel):
  length: int
  note: str | None = None
class App:
  async def setup(self, config: AppSetup):
    self.size = config.size
  async def run(self, input: RunInput) -> AsyncGenerator[RunOutput, None]:
    yield RunOutput(length=len(input.text) * self.size)
`)
    expect(await world.run(published, { input: { text: 'four' }, setup: { size: 2 } }).end).toEqual({
      type: 'task_completed',
      output: { length: 8 },
    })
    expect((await world.run(published, { input: { text: 'x' }, setup: { size: 2 } }).end).error).toMatch(/text/)
  })
})
