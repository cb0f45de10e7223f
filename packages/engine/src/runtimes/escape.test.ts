// Guards: nothing that an app says about its environment is heeded outside of its sandbox. Reported as skipped where the host
// has no bubblewrap or forbids its namespaces.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeLimitWatch } from '../machine/limit-watch.ts'
import { startWorld, type World } from '../testing/world.ts'
import { environmentArguments } from './bubblewrap.ts'
import { chooseRuntime } from './choose.ts'

const hasBubblewrap = (() => {
  try {
    const hostEnv = { PATH: process.env.PATH ?? '' }
    chooseRuntime({ setting: 'bubblewrap', limitWatch: makeLimitWatch(), readOnly: [], hostEnv })
    return true
  } catch {
    return false
  }
})()

describe.skipIf(!hasBubblewrap)('variables of an app inside bubblewrap', () => {
  let world: World
  let outside: string
  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'millrace-escape-'))
    world = await startWorld({ settings: { runtime: 'bubblewrap' } })
  })
  afterAll(async () => {
    await world.close()
    await rm(outside, { recursive: true })
  })

  const app = () =>
    world.app({
      'inference.js': `import { existsSync } from 'node:fs'
        export class App { run({ name, path }) { return { value: process.env[name], visible: existsSync(path) } } }`,
    })

  test.each(['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS'])('[E46] %s shows no file of the host', async (name) => {
    const path = world.config.cachePath
    const end = await world.run(app(), { app_env: { [name]: path }, input: { name, path } }).end
    expect(end).toEqual({ type: 'task_completed', output: { value: path, visible: false } })
  })

  test('[E46] what the loader of programs heeds is for programs inside alone', async () => {
    // It makes the loader of every program write a file.
    const app_env = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(outside, 'seen'), EMPTY: '' }
    const end = await world.run(app(), { app_env, input: { name: 'LD_DEBUG', path: outside } }).end
    expect(end).toEqual({ type: 'task_completed', output: { value: 'libs', visible: false } })
    expect(await readdir(outside)).toEqual([])
  })
})

test('[E46] no variable becomes an argument of the sandbox', () => {
  expect(environmentArguments({ A: '--bind', B: '' }).toString()).toBe('--setenv\0A\0--bind\0--setenv\0B\0\0')
  expect(() => environmentArguments({ A: 'x\0--bind\0/\0/' })).toThrow('the variable "A" cannot be set')
  expect(() => environmentArguments({ 'A=B': 'x' })).toThrow('cannot be set')
})
