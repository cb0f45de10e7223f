// Guarantees: an app gets the packages that it lists, or an error with the reason.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusedAddress } from '../outbound/egress-proxy.ts'
import { startWorld, type World } from '../testing/world.ts'
import { installFailure } from './environment.ts'
import { matchProvided, readDependencies } from './node-environment.ts'
import { mayBuild, needsPydantic, readRequirements, sourceOf } from './python-environment.ts'

const packageFolder = new URL('../..', import.meta.url).pathname
const hasPython = spawnSync('python3', ['-m', 'venv', '--help']).status === 0

describe('installing', () => {
  let world: World
  // Nothing listens on the port of both indexes: an engine without a network.
  beforeAll(async () => {
    world = await startWorld({
      env: {
        npm_config_registry: 'http://127.0.0.1:9/',
        PIP_INDEX_URL: 'http://127.0.0.1:9/simple',
        HOME: '/nonexistent',
        npm_config_cache: join(tmpdir(), 'millrace-npm-cache-test'),
      },
    })
  })
  afterAll(() => world.close())

  test('[E38] npm without access to its index fails the task with the reason', async () => {
    const task = world.run(
      world.app({
        'inference.js': 'export class App { run() {} }',
        'package.json': JSON.stringify({ type: 'module', dependencies: { 'left-pad': '1.3.0' } }),
      }),
    )
    const { type, error } = await task.end
    expect(type).toBe('task_failed')
    expect(error).toMatch(
      /^the packages of this app could not be installed: the package index \(http:\/\/127.0.0.1:9\/\) could not be reached/,
    )
    expect(task.logs(0)).toContain('ECONNREFUSED')
  })

  test.skipIf(!hasPython)('[E38] pip without access to its index fails the task with the reason', async () => {
    const app = world.app(
      { 'inference.py': 'class App:\n  def run(self, input): pass', 'requirements.txt': 'requests==2.0\n' },
      'python-3.11',
    )
    const { error } = await world.run(app).end
    expect(error).toMatch(
      /^the packages of this app could not be installed: the package index \(http:\/\/127.0.0.1:9\/simple\) could not be reached/,
    )
  })

  test.skipIf(!hasPython)('a version of Python that this machine does not have is reported', async () => {
    const app = world.app({ 'inference.py': 'class App:\n  def run(self, input): return 1' }, 'python-3.99')
    const task = world.run(app)
    expect(await task.end).toEqual({ type: 'task_completed', output: 1 })
    expect(task.logs(0)).toMatch(/^.*Python 3\.99 is not on this machine: Python 3\.\d+ runs the app$/m)
  })

  test('an app without dependencies needs no installer', async () => {
    const app = world.app({
      'inference.js': 'export class App { run() { return 1 } }',
      'package.json': '{"type":"module"}',
    })
    expect(await world.run(app).end).toEqual({ type: 'task_completed', output: 1 })
  })

  test('an invalid package.json is reported', async () => {
    const app = world.app({ 'inference.js': 'export class App { run() { return 1 } }', 'package.json': '{' })
    expect((await world.run(app).end).error).toBe('package.json of this app is not valid JSON')
  })
})

test('[E38] packages are provided all or none, and only in a matching version', () => {
  const provided = (wanted: Record<string, string>) => [...(matchProvided(wanted, packageFolder)?.keys() ?? ['none'])]
  expect(provided({ zod: '^4.0.0', ai: '*' })).toEqual(['zod', 'ai'])
  expect(provided({ zod: '^3.0.0' })).toEqual(['none'])
  expect(provided({ zod: '^4.0.0', 'left-pad': '*' })).toEqual(['none'])
  // Installed next to the engine, but not provided.
  expect(provided({ ws: '*' })).toEqual(['none'])
  // The time to parse a range grows with its length.
  expect(provided({ zod: Array.from({ length: 100 }, () => '>=4').join('||') })).toEqual(['none'])
})

test('the dependencies of an app are read from its files', () => {
  expect(readDependencies('{"dependencies":{"a":"1"},"devDependencies":{"b":"1"}}')).toEqual({ a: '1' })
  expect(readDependencies('{}')).toEqual({})
  expect(readRequirements('# only a comment\n\n  \n')).toEqual([])
  expect(readRequirements('a==1\n# b\nc')).toEqual(['a==1', 'c'])
  expect(readRequirements('a==1 \\\n  --hash=x\nb')).toEqual(['a==1    --hash=x', 'b'])
})

test.each([
  ['from inferencesh import BaseApp', [], true],
  ['import inferencesh', ['requests==2'], true],
  ['from inferencesh import BaseApp', ['inferencesh>=0.6'], false],
  ['from inferencesh import BaseApp', ['requests', 'pydantic==2.5'], false],
  ['# from inferencesh import BaseApp', [], false],
])('an app with the code %j and the requirements %j needs pydantic: %s', async (code, requirements, expected) => {
  const bundle = await mkdtemp(join(tmpdir(), 'millrace-requirements-'))
  await writeFile(join(bundle, 'helper.py'), `${code}\n`)
  expect(await needsPydantic(bundle, requirements)).toBe(expected)
  await rm(bundle, { recursive: true })
})

test('an error other than the network contains the installer’s output', () => {
  const failure = installFailure('npm', 'the package index (npm)', {
    code: 1,
    lastLines: ['npm error notarget No matching version'],
  })
  expect(failure.message).toBe(
    'the packages of this app could not be installed: npm ended with code 1\nnpm error notarget No matching version',
  )
})

test('[E38] an unreachable server is named', () => {
  const requirement = 'demo @ git+https://host/demo'
  const failed = {
    code: 1,
    lastLines: ['  Running command git clone https://host/demo', 'fatal: Could not resolve host: host'],
  }
  expect(installFailure('pip', sourceOf(failed, requirement, { env: {} }), failed).message).toBe(
    `the packages of this app could not be installed: the repository ${requirement} could not be reached\nfatal: Could not resolve host: host`,
  )
  expect(sourceOf({ code: 1, lastLines: [] }, requirement, { env: {} })).toBe('the package index (PyPI)')
})

test('[E38] a blocked index is reported with the setting', () => {
  const line = `npm error 403 403 ${refusedAddress} - GET http://10.0.0.1/zod`
  expect(installFailure('npm', 'the package index (http://10.0.0.1/)', { code: 1, lastLines: [line] }).message).toBe(
    `the packages of this app could not be installed: the package index (http://10.0.0.1/) has a private address; the engine's operator has to add it to allow_private_hosts\n${line}`,
  )
})

test.each([
  ['requests==2.0', false],
  ['requests[socks]>=2; python_version > "3"', false],
  ['requests==2 --hash=sha256:00', false],
  ['demo @ https://host/demo-1.0-py3-none-any.whl#sha256=00', false],
  ['./demo-1.0-py3-none-any.whl', false],
  ['--extra-index-url https://host/simple', false],
  ['demo @ git+https://host/demo', true],
  ['git+https://host/demo', true],
  ['https://host/demo.tar.gz', true],
  ['./demo', true],
  ['file:///demo', true],
  ['-e .', true],
  ['-r more.txt', true],
  ['--no-binary :all:', true],
  ['demo==1 --no-binary :all:', true],
])('[E38] a sandboxing engine asks whether %j may run code of the package: %s', (line, expected) => {
  expect(mayBuild(line)).toBe(expected)
})
