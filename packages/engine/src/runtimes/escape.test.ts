// Guarantees: no environment variable of an app affects a program outside its sandbox, and no file replaced by the app
// leads the engine to a file of the host. Skipped where the host has no bubblewrap or forbids its namespaces.

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { startWorld, type World } from '../testing/world.ts'
import { environmentArguments } from './bubblewrap.ts'
import { chooseRuntime } from './choose.ts'

const hasBubblewrap = (() => {
  try {
    const hostEnv = { PATH: process.env.PATH ?? '' }
    chooseRuntime({ setting: 'bubblewrap', limitWatch: createLimitWatch(), readOnly: [], hostEnv })
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

  test('[E46] variables of the dynamic loader affect only programs inside', async () => {
    // Makes the dynamic loader of every program write a file.
    const app_env = { LD_DEBUG: 'libs', LD_DEBUG_OUTPUT: join(outside, 'seen'), EMPTY: '' }
    const end = await world.run(app(), { app_env, input: { name: 'LD_DEBUG', path: outside } }).end
    expect(end).toEqual({ type: 'task_completed', output: { value: 'libs', visible: false } })
    expect(await readdir(outside)).toEqual([])
  })
})

describe.skipIf(!hasBubblewrap)('files of an app inside bubblewrap', () => {
  const secret = 'a file of the host'
  let world: World
  let host: string
  beforeAll(async () => {
    host = await mkdtemp(join(tmpdir(), 'millrace-swaps-'))
    await writeFile(join(host, 'secret'), secret)
    world = await startWorld({ settings: { runtime: 'bubblewrap' } })
  })
  afterAll(async () => {
    await world.close()
    await rm(host, { recursive: true })
  })

  const stored = (): string[] => [...world.server.files.values()].map(({ content }) => content.toString())

  test.each([
    ['a link', 'symlinkSync(host + "/secret", data + "/odd")', 'odd'],
    ['a link of the process table', 'symlinkSync("/proc/self/environ", data + "/odd")', 'odd'],
    ['a folder that is a link', 'symlinkSync(host, data + "/folder")', 'folder/secret'],
    ['a path upwards', '', `${'../'.repeat(20)}etc/passwd`],
  ])('[E40] %s is not followed', async (_name, make, path) => {
    const before = stored().length
    const app = world.app({
      'inference.js': `import { rmSync, symlinkSync } from 'node:fs'
        const data = process.env.MILLRACE_DATA_DIR
        export class App { run({ host }) {
          for (const name of ['odd', 'folder']) rmSync(data + '/' + name, { force: true, recursive: true })
          ${make}
          return { path: data + '/${path}' }
        } }`,
    })
    expect(await world.run(app, { input: { host } }).end).toMatchObject({ type: 'task_failed' })
    expect(stored()).toHaveLength(before)
  })

  test('[E40] a file, a folder and a hard link that are replaced while the engine reads reveal nothing of the host', async () => {
    const swapper = `const { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } = require('node:fs')
      const host = process.argv[2]
      mkdirSync('real'); writeFileSync('real/secret', 'mine'); symlinkSync(host, 'evil'); writeFileSync('kept', 'mine')
      const become = (make, name) => { make('next'); renameSync('next', name) }
      const swap = (from, as) => { renameSync(from, as); renameSync(as, from) }
      for (let round = 0; ; round++) {
        become((path) => writeFileSync(path, 'mine'), 'a')
        become((path) => symlinkSync(host + '/secret', path), 'a')
        become((path) => linkSync('kept', path), 'a')
        swap('real', 'b'); swap('evil', 'b')
        if (round === 0) process.stdout.write('up')
      }`
    const app = world.app({
      'swap.cjs': swapper,
      'inference.js': `import { spawn } from 'node:child_process'
        import { mkdtempSync } from 'node:fs'
        import { fileURLToPath } from 'node:url'
        let child
        export class App { async run({ host, name }) {
          child?.kill('SIGKILL')
          const folder = mkdtempSync(process.env.MILLRACE_TMP_DIR + '/swaps-')
          const program = fileURLToPath(new URL('swap.cjs', import.meta.url))
          child = spawn(process.execPath, [program, host], { cwd: folder })
          await new Promise((resolve) => child.stdout.once('data', resolve))
          return { list: Array.from({ length: 3 }, () => ({ path: folder + '/' + name })) }
        } }`,
    })
    const ends: string[] = []
    for (let run = 0; run < 12; run++) {
      const { error } = await world.run(app, { input: { host, name: run % 4 === 0 ? 'b/secret' : 'a' } }).end
      ends.push(error ?? 'stored')
    }
    expect(stored().filter((text) => text !== 'mine')).toEqual([])
    // No other error occurred: either the replacement was detected, or the files were intact.
    const seen =
      /^(stored|the app returned the file (a|secret), which (is not a regular file|does not exist|is behind a link .*))$/
    expect(ends.filter((end) => !seen.test(end))).toEqual([])
  })
})

test('[E46] no variable becomes an argument of the sandbox', () => {
  expect(environmentArguments({ A: '--bind', B: '' }).toString()).toBe('--setenv\0A\0--bind\0--setenv\0B\0\0')
  expect(() => environmentArguments({ A: 'x\0--bind\0/\0/' })).toThrow('the variable "A" cannot be set')
  expect(() => environmentArguments({ 'A=B': 'x' })).toThrow('cannot be set')
})
