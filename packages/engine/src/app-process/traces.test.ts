// Guarantees: an app that throws, in Node or Python, while it is loaded, set up or run, reports file, line and its own
// frames: shortened in the task's error, complete in its log, and never with the path of its folder.

import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/world.ts'

const hasPython = spawnSync('python3', ['--version']).status === 0

type Case = { claim: string; files: Record<string, string>; error: string; logged?: string[] }

const nodeCases: Case[] = [
  {
    claim: 'run, in another file, with a cause',
    files: {
      'inference.js': "import { dig } from './lib/dig.js'\nexport class App {\n  run() { return dig(3) }\n}",
      'lib/dig.js':
        "export const dig = (depth) => {\n  if (depth > 0) return dig(depth - 1)\n  throw new TypeError('bedrock', { cause: new Error('granite') })\n}",
    },
    error:
      'TypeError: bedrock (granite)\n    at dig (lib/dig.js:3:9)\n    at dig (lib/dig.js:2:25)\n    at dig (lib/dig.js:2:25)',
    logged: ['TypeError: bedrock', 'at App.run (inference.js:3:18)', 'caused by Error: granite'],
  },
  {
    claim: 'setup',
    files: {
      'inference.js': "export class App {\n  async setup() {\n    throw new Error('no model')\n  }\n  run() {}\n}",
    },
    error: 'setup failed: no model\n    at App.setup (inference.js:3:11)',
    logged: ['Error: no model', 'at App.setup (inference.js:3:11)'],
  },
  {
    claim: 'load',
    files: { 'inference.js': 'const held = undefined\nheld.x()\nexport class App { run() {} }' },
    error:
      "the app could not be loaded: TypeError: Cannot read properties of undefined (reading 'x')\n    at inference.js:2:6",
    logged: ['at inference.js:2:6'],
  },
  {
    claim: 'a syntax error in an imported file',
    files: {
      'inference.js': "import './other.js'\nexport class App { run() {} }",
      'other.js': 'let a = 1\nlet b = ;\n',
    },
    error: "the app could not be loaded: SyntaxError: Unexpected token ';'\n    at other.js:2",
  },
  {
    claim: 'a missing package',
    files: { 'inference.js': "// one\nimport 'nothing-of-this-name'\nexport class App { run() {} }" },
    error:
      "the app could not be loaded: Cannot find package 'nothing-of-this-name' imported from inference.js\n    at inference.js:2",
  },
  {
    claim: 'an exception outside the call',
    files: {
      'inference.js':
        "export class App {\n  run() {\n    setTimeout(() => { throw new Error('too late') })\n    return new Promise(() => {})\n  }\n}",
    },
    error:
      'the app process ended unexpectedly (exit code 1): Error: too late\n    at Timeout._onTimeout (inference.js:3:30)',
    logged: ['Error: too late', 'at Timeout._onTimeout (inference.js:3:30)'],
  },
  {
    claim: 'an unhandled rejection',
    files: {
      'inference.js':
        "export class App {\n  run() {\n    Promise.reject(new Error('unheard', { cause: new Error('deeper') }))\n    return new Promise(() => {})\n  }\n}",
    },
    error: 'the app process ended unexpectedly (exit code 1): Error: unheard\n    at App.run (inference.js:3:20)',
    logged: ['caused by Error: deeper'],
  },
  {
    claim: 'an object that is not an Error',
    files: { 'inference.js': "export class App {\n  run() { throw { code: 7, message: 'an object' } }\n}" },
    error: 'an object',
    logged: ['an object'],
  },
  {
    claim: 'an object without a message',
    files: { 'inference.js': 'export class App {\n  run() { throw { code: 7 } }\n}' },
    error: '{ code: 7 }',
    logged: ['{ code: 7 }'],
  },
  {
    claim: 'a missing module of its own',
    files: { 'inference.js': "import { a } from './lib/gone.js'\nexport class App { run() {} }" },
    error:
      "the app could not be loaded: Cannot find module 'lib/gone.js' imported from inference.js\n    at inference.js:1",
  },
]

const pythonCases: Case[] = [
  {
    claim: 'run, in another file, with a cause',
    files: {
      'inference.py': 'from lib.dig import dig\n\nclass App:\n  async def run(self, input):\n    return dig(1)\n',
      'lib/__init__.py': '',
      'lib/dig.py':
        'def dig(depth):\n  if depth > 0:\n    return dig(depth - 1)\n  try:\n    {}["gold"]\n  except KeyError as error:\n    raise ValueError("bedrock") from error\n',
    },
    error: 'ValueError: bedrock\n    at dig (lib/dig.py:7)\n    at dig (lib/dig.py:3)\n    at run (inference.py:5)',
    logged: ['ValueError: bedrock', "caused by KeyError: 'gold'", 'at dig (lib/dig.py:5)'],
  },
  {
    claim: 'setup',
    files: {
      'inference.py': 'class App:\n  def setup(self):\n    open("nothing")\n  def run(self, input):\n    pass\n',
    },
    error:
      "setup failed: FileNotFoundError: [Errno 2] No such file or directory: 'nothing'\n    at setup (inference.py:3)",
    logged: ['at setup (inference.py:3)'],
  },
  {
    claim: 'load',
    files: { 'inference.py': 'import os\nos.nothing\nclass App:\n  def run(self, input):\n    pass\n' },
    error:
      "the app could not be loaded: AttributeError: module 'os' has no attribute 'nothing'\n    at <module> (inference.py:2)",
  },
  {
    claim: 'a syntax error in an imported file',
    files: {
      'inference.py': 'import other\nclass App:\n  def run(self, input):\n    pass\n',
      'other.py': 'a = 1\nb = = 2\n',
    },
    error:
      'the app could not be loaded: SyntaxError: invalid syntax\n    at other.py:2\n    at <module> (inference.py:1)',
  },
]

describe('traces', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  const reports = async ({ files, error, logged = [] }: Case, kernel: string) => {
    const task = world.run(world.app(files, kernel))
    expect(await task.end).toEqual({ type: 'task_failed', error })
    for (const line of logged) expect(task.logs()).toContain(line)
    expect(task.logs()).not.toContain(world.root)
  }

  test.each(nodeCases)('Node: $claim', (one) => reports(one, 'node-22'))
  test.skipIf(!hasPython).each(pythonCases)('Python: $claim', (one) => reports(one, 'python-3.11'))
})
