// Guarantees: a complete engine runs apps inside bubblewrap. They work as outside, see nothing of the host, other apps
// or other tasks, have no privileges, and stay within their limits. Skipped where the host has no bubblewrap or forbids
// its namespaces.

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { pidsWithEnv } from '../machine/process-table.ts'
import { startWorld, type World } from '../testing/world.ts'
import { writeZip } from '../testing/zip-writer.ts'
import { chooseRuntime, findProgram } from './choose.ts'

const hostEnv = { PATH: process.env.PATH ?? '' }

const hasBubblewrap = (() => {
  try {
    chooseRuntime({ setting: 'bubblewrap', limitWatch: createLimitWatch(), readOnly: [], hostEnv })
    return true
  } catch {
    return false
  }
})()
const hasPython = findProgram('python3', hostEnv) !== undefined

const secretInEnvironment = 'a-secret-of-the-operator'

describe.skipIf(!hasBubblewrap)('apps inside bubblewrap', () => {
  let world: World
  let hurried: World
  beforeAll(async () => {
    process.env.MILLRACE_TEST_HOST_SECRET = secretInEnvironment
    const settings = {
      runtime: 'bubblewrap',
      memory_limit_mb: 300,
      process_limit: 20,
      scratch_limit_mb: 40,
      file_limit: 500,
    }
    world = await startWorld({ settings })
    hurried = await startWorld({ settings: { ...settings, task_limit_seconds: 3 } })
  })
  afterAll(async () => {
    delete process.env.MILLRACE_TEST_HOST_SECRET
    await Promise.all([world.close(), hurried.close()])
  })

  const appOn = (on: World, body: string) =>
    on.app({ 'inference.js': `export class App { ${body}\n ok() { return 'fine' } }` })
  const outcome = (body: string, input: Record<string, unknown> = {}) => world.run(appOn(world, body), { input }).end

  test('[E46] a shipped app with provided packages runs, and runs again on the warm process', async () => {
    const markdown = await world.shippedApp('markdown-to-html')
    for (const _ of [1, 2])
      expect(await world.run(markdown, { input: { markdown: '# Hi' } }).end).toMatchObject({ type: 'task_completed' })
  })

  test.skipIf(!hasPython)('[E46] a Python app runs', async () => {
    const counted = await world.run(await world.shippedApp('word-count'), { input: { text: 'one two' } }).end
    expect(counted).toMatchObject({ type: 'task_completed', output: { words: 2 } })
  })

  test.skipIf(!hasPython)('[E46] a Python app runs with the packages installed for it', async () => {
    const wheel = writeZip([
      { name: 'tiny_demo.py', content: "said = 'from the wheel'" },
      { name: 'tiny_demo-1.0.dist-info/METADATA', content: 'Metadata-Version: 2.1\nName: tiny-demo\nVersion: 1.0\n' },
      {
        name: 'tiny_demo-1.0.dist-info/WHEEL',
        content: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      },
      { name: 'tiny_demo-1.0.dist-info/RECORD', content: '' },
    ])
    const archive = writeZip([
      { name: 'tiny_demo-1.0-py3-none-any.whl', content: wheel },
      { name: 'requirements.txt', content: './tiny_demo-1.0-py3-none-any.whl\n' },
      {
        name: 'inference.py',
        content:
          'import tiny_demo\nclass App:\n  async def run(self, input):\n    return {"said": tiny_demo.said, "from": tiny_demo.__file__}\n',
      },
    ])
    const app = { app_id: 'wheel', app_version_id: 'wheel', kernel: 'python-3.11', ...world.server.bundle(archive) }
    const end = await world.run(app).end
    expect(end).toMatchObject({ type: 'task_completed', output: { said: 'from the wheel' } })
    expect(JSON.stringify(end.output)).toContain('/app/environment/venv')
  })

  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((path) => existsSync(path))
  test.skipIf(!chromium)('[E46] an installed Chromium finds its configuration and renders a page', async () => {
    const browsing = await startWorld({ settings: { runtime: 'bubblewrap', process_limit: 200 } })
    const app = appOn(
      browsing,
      `async run() {
        const { execFileSync } = await import('node:child_process')
        const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--dump-dom']
        return execFileSync(${JSON.stringify(chromium)}, [...flags, 'data:text/html,<p>rendered'], { encoding: 'utf8' })
      }`,
    )
    const end = await browsing.run(app).end
    expect(end.error ?? end.output).toContain('<p>rendered</p>')
    await browsing.close()
  })

  test('[E46] an app can change its installed packages, and the next process has them unchanged', async () => {
    const app = world.app({
      'inference.js': `import { tool } from 'tool'
        import { appendFileSync } from 'node:fs'
        import { fileURLToPath } from 'node:url'
        export class App {
          run() {
            appendFileSync(fileURLToPath(import.meta.resolve('tool')), '\\nexport const changed = true')
            return tool
          }
          leave() { process.exit(1) }
        }`,
      'package.json': '{"type":"module"}',
      'node_modules/tool/package.json': '{"name":"tool","type":"module","main":"index.js"}',
      'node_modules/tool/index.js': `export const tool = 'as installed'`,
    })
    for (const _ of [1, 2]) {
      expect(await world.run(app).end).toEqual({ type: 'task_completed', output: 'as installed' })
      expect(await world.run(app, { function: 'leave' }).end).toMatchObject({ type: 'task_failed' })
    }
  })

  test('[E46] files can be read and returned', async () => {
    const { repository } = world.server.bundle(Buffer.from('what was sent'))
    const app = world.app({
      'inference.js': `import { readFileSync, writeFileSync } from 'node:fs'
        export const RunInput = { type: 'object', properties: { given: { type: 'string', format: 'file' } } }
        export class App { run({ given }) {
          writeFileSync('/app/tmp/out.txt', readFileSync(given.path, 'utf8').toUpperCase())
          return { seen: given.path.startsWith('/app/files/'), made: { path: '/app/tmp/out.txt' } }
        } }`,
    })
    const end = await world.run(app, { input: { given: repository } }).end
    expect(end.type, end.error).toBe('task_completed')
    const { seen, made } = end.output as { seen: boolean; made: string }
    expect(seen).toBe(true)
    expect(world.server.files.get(made)?.content.toString()).toBe('WHAT WAS SENT')
    // The worker's next task, of another app, sees no file of it.
    for (const _ of [1, 2]) {
      const listed = await outcome(`async run() {
        const { readdirSync } = await import('node:fs')
        return { files: readdirSync('/app/files'), tmp: readdirSync('/app/tmp') }
      }`)
      expect(listed.output).toEqual({ files: [], tmp: [] })
    }
  })

  const hidden = (): [string, string][] => [
    ['the identity of the engine', `${world.config.cachePath}/engine.json`],
    ['the cached files of all tasks', `${world.config.cachePath}/files`],
    ['the folders of other apps', `${world.config.cachePath}/apps`],
    ['password hashes', '/etc/shadow'],
    ['private keys of the system', '/etc/ssl/private'],
    ['the home of root', '/root'],
    ['homes', '/home'],
    ['state of the system', '/var'],
    ['the rest of the program', new URL('../../../../package.json', import.meta.url).pathname],
  ]
  test('[E46] nothing of the host is visible', async () => {
    const paths = hidden().map(([, path]) => path)
    const end = await outcome(
      `async run({ paths }) {
        const { existsSync } = await import('node:fs')
        return { visible: paths.filter((path) => existsSync(path)) }
      }`,
      { paths },
    )
    expect(end.output).toEqual({ visible: [] })
  })

  test('[E46] nothing but its own folders can be written', async () => {
    const end = await outcome(`async run() {
      const { writeFileSync } = await import('node:fs')
      const places = ['/app/code', '/app/bundle', '/app/environment', '/app/files', '/app', '/', '/usr', '/etc', '/dev', '/app/data', '/app/tmp', '/app/cache', '/tmp']
      return { writable: places.filter((place) => { try { writeFileSync(place + '/x', 'x'); return true } catch { return false } }) }
    }`)
    expect(end.output).toEqual({ writable: ['/app/code', '/app/data', '/app/tmp', '/app/cache', '/tmp'] })
  })

  test('[E46] no privileges, no processes of others, no environment of the engine', async () => {
    const end = await outcome(`async run() {
      const { readFileSync, readdirSync } = await import('node:fs')
      const status = readFileSync('/proc/self/status', 'utf8')
      const pids = readdirSync('/proc').filter((name) => /^\\d+$/.test(name))
      const environments = pids.map((pid) => { try { return readFileSync('/proc/' + pid + '/environ', 'utf8') } catch { return '' } })
      return {
        capabilities: /CapEff:\\s*(\\w+)/.exec(status)[1],
        noNewPrivileges: /NoNewPrivs:\\s*(\\d)/.exec(status)[1],
        few: pids.length < 6,
        leaks: environments.join().includes('${secretInEnvironment}'),
        key: environments.join().includes('${world.server.apiKey}'),
      }
    }`)
    expect(end.output).toEqual({
      capabilities: '0000000000000000',
      noNewPrivileges: '1',
      few: true,
      leaks: false,
      key: false,
    })
  })

  test.skipIf(!hasPython)(
    '[E46] lines that no namespace encloses, and parts of the kernel apps need not know',
    async () => {
      const script = `import ctypes, socket, platform
def family(number):
    try:
        socket.socket(number, socket.SOCK_STREAM).close()
        return "open"
    except OSError as error:
        return error.errno
libc = ctypes.CDLL(None, use_errno=True)
def call(number):
    return -1 if libc.syscall(number, 0, 0, 0, 0) >= 0 else ctypes.get_errno()
class App:
    async def run(self, input):
        keys = 250 if platform.machine() == "x86_64" else 219
        return {"vsock": family(40), "alg": family(38), "inet": family(2), "io_uring": call(425), "keys": call(keys)}
`
      const end = await world.run(world.app({ 'inference.py': script }, 'python-3.11')).end
      expect(end.output).toEqual({ vsock: 97, alg: 97, inet: 'open', io_uring: 38, keys: 38 })
    },
  )

  // The case that fills the disk stops just above its limit: written data counts as memory in a cgroup until it is on
  // the disk, so a larger file could exceed either limit first.
  const limits = [
    {
      claim: 'uses too much memory',
      body: 'async run() { const held = []; for (;;) { held.push(Buffer.alloc(16e6, 1)); await new Promise((r) => setTimeout(r, 20)) } }',
      error: 'memory limit of 300 MB exceeded',
    },
    {
      claim: 'hides its memory in processes of other sessions',
      body: `async run() {
        const { spawn } = await import('node:child_process')
        const eat = "const held = []; setInterval(() => held.push(Buffer.alloc(8e6, 1)), 50)"
        for (let i = 0; i < 3; i++) spawn(process.execPath, ['-e', eat], { stdio: 'ignore', detached: true })
        return new Promise(() => {})
      }`,
      error: 'memory limit of 300 MB exceeded',
    },
    {
      claim: 'forks into sessions of their own, whose parents are gone',
      body: `async run() {
        const { spawn } = await import('node:child_process')
        for (let i = 0; i < 15; i++)
          spawn('sh', ['-c', 'for n in 1 2 3; do sleep 60 & done; exit 0'], { stdio: 'ignore', detached: true, env: {} })
        return new Promise(() => {})
      }`,
      error: 'limit of 20 processes exceeded',
    },
    {
      claim: 'fills the disk',
      body: `async run() {
        const { appendFileSync } = await import('node:fs')
        for (let written = 0; written < 60; written++) appendFileSync('/app/tmp/much', Buffer.alloc(1e6, 1))
        return new Promise(() => {})
      }`,
      error: 'disk limit of 40 MB exceeded',
    },
    {
      claim: 'fills the disk with files without a name',
      body: `async run() {
        const { openSync, unlinkSync, writeSync } = await import('node:fs')
        const hidden = openSync('/app/tmp/hidden', 'w')
        unlinkSync('/app/tmp/hidden')
        for (let written = 0; written < 60; written++) writeSync(hidden, Buffer.alloc(1e6, 1))
        return new Promise(() => {})
      }`,
      error: 'disk limit of 40 MB exceeded',
    },
    {
      claim: 'opens too many files',
      body: `async run() {
        const { openSync } = await import('node:fs')
        for (let count = 0; count < 10_001; count++) openSync('/dev/null')
        return new Promise(() => {})
      }`,
      error: 'limit of 10000 open files exceeded',
    },
    {
      claim: 'leaves more files than it may',
      body: `async run() {
        const { writeFileSync } = await import('node:fs')
        for (let n = 0; n < 1000; n++) writeFileSync('/app/data/' + n, '')
        return new Promise(() => {})
      }`,
      error: 'limit of 500 files exceeded',
    },
    { claim: 'blocks its thread', body: 'run() { for (;;); }', error: 'time limit of 3 s exceeded' },
  ]
  test.each(limits)('[E46] an app that $claim fails its task, and the worker continues', async ({ body, error }) => {
    const on = error.startsWith('time') ? hurried : world
    expect(await on.run(appOn(on, body)).end).toEqual({ type: 'task_failed', error })
    // On a slow machine, a short time limit may end the start of a process.
    const next = () => on.run(appOn(on, ''), { function: 'ok' }).end
    await expect.poll(next).toEqual({ type: 'task_completed', output: 'fine' })
  })

  test('[E46] a cancel ends every process of an app, even hidden ones', async () => {
    const task = world.run(
      appOn(
        world,
        `async run() {
          const { spawn } = await import('node:child_process')
          spawn('sleep', ['600'], { stdio: 'ignore', detached: true, env: { HIDDEN: process.env.MILLRACE_APP_PROCESS } }).unref()
          console.log('mark ' + process.env.MILLRACE_APP_PROCESS)
          return new Promise(() => {})
        }`,
      ),
    )
    await task.seen('task_log')
    const mark = `HIDDEN=${/mark (\w+)/.exec(task.logs())?.[1]}`
    while (pidsWithEnv(mark).length === 0) await sleep(20)
    world.server.send({ type: 'task_force_cancel', data: { task: { id: task.id } } })
    expect(await task.end).toMatchObject({ type: 'task_cancelled' })
    while (pidsWithEnv(mark).length > 0) await sleep(20)
  })
})
