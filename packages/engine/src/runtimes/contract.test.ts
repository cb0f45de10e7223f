// Guarantees: every runtime contains an app process in the same way. One suite; runtimes that this host lacks are
// skipped.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { pidsWithEnv } from '../machine/process-table.ts'
import { importImage } from '../testing/container-image.ts'
import { bubblewrapArguments } from './bubblewrap.ts'
import { chooseRuntime, type RuntimeSetting } from './choose.ts'
import { containerArguments } from './container.ts'
import { limitPrefix, maxThreads, plainProcess } from './plain-process.ts'
import type { AppFolders, Runtime, StartRequest } from './runtime.ts'

const hostEnv = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }

const limitless = { memoryBytes: 2e9, processes: 64, idleMemoryBytes: 2e9, idleCpuShare: 10 }

const image = await importImage(hostEnv)

const find = (setting: RuntimeSetting): Runtime | undefined => {
  if (setting === 'container' && !image) return undefined
  try {
    return chooseRuntime({
      ...{ setting, limitWatch: createLimitWatch(), readOnly: [] },
      hostEnv: { ...hostEnv, ...image?.env },
      ...(image && { images: { node: image.name } }),
    })
  } catch {
    return undefined
  }
}

afterAll(() => image?.remove())

const runtimes = (['process', 'bubblewrap', 'container'] as const).map((name) => ({ name, runtime: find(name) }))

const createFolders = async (root: string): Promise<AppFolders> => {
  const folders = {
    bundle: join(root, 'bundle'),
    code: join(root, 'code'),
    environment: join(root, 'environment'),
    files: join(root, 'files'),
    data: join(root, 'data'),
    tmp: join(root, 'tmp'),
    cache: join(root, 'cache'),
  }
  for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true })
  return folders
}

for (const { name, runtime } of runtimes) {
  const reason = runtime ? '' : ' (not on this host)'
  describe.skipIf(!runtime)(`the ${name} runtime${reason}`, () => {
    let root: string
    let folders: AppFolders
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'millrace-runtime-'))
      folders = await createFolders(root)
    })
    afterAll(() => rm(root, { recursive: true, force: true }))

    const start = async (script: string, change: Partial<StartRequest> = {}) => {
      if (!runtime) throw new Error('not on this host')
      await writeFile(join(folders.code, 'script.mjs'), script)
      const processId = `runtime-test-${name}-${Math.random().toString(36).slice(2)}`
      const running = await runtime.start({
        processId,
        purpose: 'app',
        kernel: { language: 'node', version: '22' },
        folders,
        command: (inside) => [runtime.interpreter('node', process.execPath), join(inside.code, 'script.mjs')],
        env: (inside) => ({ PATH: hostEnv.PATH, TMP: inside.tmp, GREETING: 'hello' }),
        limits: { ...limitless, processes: 64 },
        gpuIds: [],
        readOnly: [process.execPath],
        ...change,
      })
      let said = ''
      running.stdout.on('data', (chunk) => {
        said += chunk
      })
      running.stderr.resume()
      return { running, processId, said: () => said }
    }

    test('output, environment and exit code are returned', async () => {
      const { running, said } = await start(
        'console.log(process.env.GREETING, Object.keys(process.env).includes("HOME_SECRET")); process.exitCode = 7',
      )
      expect(await running.exited).toMatchObject({ code: 7, signal: null })
      expect(said()).toBe('hello false\n')
    })

    test('its folders can be written, and the host sees what was written', async () => {
      const { running } = await start(
        "import { writeFileSync } from 'node:fs'; writeFileSync(process.env.TMP + '/made', 'x')",
      )
      expect(await running.exited).toMatchObject({ code: 0 })
      await expect(
        import('node:fs/promises').then(({ readFile }) => readFile(join(folders.tmp, 'made'), 'utf8')),
      ).resolves.toBe('x')
    })

    test('a browser’s socket fits below TMPDIR under a long folder of the engine', async () => {
      const deep = await createFolders(join(root, 'd'.repeat(100)))
      await writeFile(
        join(deep.code, 'socket.mjs'),
        `import { mkdirSync } from 'node:fs'
        import { createServer } from 'node:net'
        import { tmpdir } from 'node:os'
        const folder = tmpdir() + '/org.chromium.Chromium.abcdef'
        mkdirSync(folder)
        const server = createServer().on('error', (error) => console.log(error.message))
        server.listen(folder + '/SingletonSocket', () => console.log(tmpdir()) || process.exit(7))`,
      )
      const { running, said } = await start('', {
        folders: deep,
        command: (inside) => [runtime?.interpreter('node', process.execPath) ?? '', join(inside.code, 'socket.mjs')],
        env: (inside) => ({ PATH: hostEnv.PATH, TMPDIR: inside.tmp }),
      })
      const { code } = await running.exited
      expect({ code, said: said() }).toEqual({ code: 7, said: expect.stringMatching(/^\/.{1,60}\n$/) })
      await expect.poll(() => existsSync(said().trim())).toBe(false)
      expect(await readdir(deep.tmp)).toEqual(['org.chromium.Chromium.abcdef'])
    })

    test('kill ends a process that is busy, and everything it started', async () => {
      const { running, processId, said } = await start(`
        import { spawn } from 'node:child_process'
        spawn('sleep', ['600'], { stdio: 'ignore' })
        spawn('sleep', ['600'], { stdio: 'ignore', detached: true })
        process.stdout.write('up')
        setTimeout(() => { for (;;); }, 50)`)
      while (said() !== 'up') await sleep(10)
      await sleep(100)
      await running.kill()
      expect((await running.exited).signal).toBe('SIGKILL')
      expect(pidsWithEnv(`MILLRACE_APP_PROCESS=${processId}`)).toEqual([])
    })

    test('too many processes end it, with the limit in the error', async () => {
      const { running } = await start(
        `import { spawn } from 'node:child_process'
         const more = () => { try { spawn('sleep', ['600'], { stdio: 'ignore' }).on('error', () => process.exit(9)) } catch { process.exit(9) } }
         setInterval(() => { for (let i = 0; i < 5; i++) more() }, 20)`,
        { limits: { ...limitless, processes: 30 } },
      )
      const workEnded = running.work()
      const exit = await running.exited
      workEnded()
      if (name === 'container') expect(exit.code).toBe(9)
      else expect(exit.overLimit).toBe('limit of 30 processes exceeded')
    })

    test('a program that does not exist ends immediately', async () => {
      const { running } = await start('', { command: () => ['/nonexistent/program'] })
      expect((await running.exited).code).not.toBe(0)
    })
  })
}

describe('sandbox arguments', () => {
  const folders = { bundle: '/b', code: '/c', environment: '/e', files: '/f', data: '/d', tmp: '/t', cache: '/k' }

  test('bubblewrap: the bundle read-only, its copy and three folders writable, own process ids, nothing else of the host', () => {
    const text = bubblewrapArguments({
      folders,
      readOnly: ['/provided'],
      devices: ['/dev/nvidia0'],
      purpose: 'app',
      features: { boundsMemoryFiles: true, forbidsNamespaces: true, filter: Buffer.alloc(8) },
      egress: '/w',
    }).join(' ')
    for (const part of [
      '--ro-bind /b /app/bundle',
      '--bind /c /app/code',
      '--ro-bind /provided /provided',
      '--bind /d /app/data',
      '--bind /t /app/tmp',
      '--bind /k /app/cache',
      '--ro-bind /e /app/environment',
      '--ro-bind /w /app/egress',
      '--unshare-user --disable-userns',
      '--unshare-pid',
      '--unshare-net',
      '--seccomp 3',
      '--die-with-parent',
      '--size 268435456 --tmpfs /tmp',
      '--dev-bind-try /dev/nvidia0 /dev/nvidia0',
      '--cap-drop ALL',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toMatch(/--bind \/ /)
    expect(text).not.toContain('/root')
    expect(text).not.toMatch(/ \/etc /)
  })

  test('containers: limits, no privileges, and no secret on the command line', () => {
    const args = containerArguments({
      options: { program: 'podman', readOnly: ['/provided'], hostEnv: {}, user: { uid: 1000, gid: 100 } },
      request: {
        purpose: 'app',
        kernel: { language: 'python', version: '3.11' },
        folders,
        command: (inside) => ['python3', inside.code],
        env: () => ({ TOKEN: 'top-secret', DOCKER_HOST: 'tcp://elsewhere', PATH: '/host/bin' }),
        limits: { ...limitless, memoryBytes: 1000, processes: 5 },
        gpuIds: ['GPU-1', 'GPU-2'],
        readOnly: ['/only/of/the/host'],
      },
      name: 'millrace-x',
      hostPort: 4321,
    })
    const text = args.join(' ')
    for (const part of [
      '--memory 1000',
      '--pids-limit 5',
      '--cap-drop ALL',
      '--read-only',
      '127.0.0.1:4321:8787',
      '--env TOKEN --env DOCKER_HOST=tcp://elsewhere',
      '--userns keep-id --user 1000:100',
      '/b:/app/bundle:ro --volume /c:/app/code:rw',
      '--gpus "device=GPU-1,GPU-2"',
      'python:3.11-slim python3 /app/code',
    ]) {
      expect(text).toContain(part)
    }
    expect(text).not.toContain('top-secret')
    expect(text).not.toContain('PATH')
    // The image contains its own interpreter.
    expect(text).not.toContain('/only/of/the/host')
  })

  test('a plain process: hard limits through prlimit where it exists', () => {
    const limits = { ...limitless, memoryBytes: 0, processes: 10 }
    const data = `--data=${2 * 1024 ** 3}`
    expect(limitPrefix(limits, '/p', 99, { root: true, threads: 5, maxThreads: 9 })).toEqual([
      '/p',
      '--core=0',
      data,
      '--rttime=99',
      '--',
    ])
    const user = { root: false, threads: 5, maxThreads: Number.POSITIVE_INFINITY }
    expect(limitPrefix(limits, '/p', undefined, user)).toEqual(['/p', '--core=0', data, '--nproc=165', '--'])
    // At most the hard limit of the user; the app would not start otherwise.
    expect(limitPrefix(limits, '/p', undefined, { ...user, maxThreads: 100 })).toContain('--nproc=100')
    expect(maxThreads('Max processes             4096                 4000                 processes \n')).toBe(4000)
    expect(maxThreads('Max processes             4096                 unlimited            processes \n')).toBe(
      Number.POSITIVE_INFINITY,
    )
    expect(limitPrefix(limits, undefined)).toEqual([])
  })
})

test('a runtime that the host does not support is rejected with the reason', () => {
  const choice = { limitWatch: createLimitWatch(), readOnly: [], hostEnv: { PATH: '/nonexistent' } }
  expect(() => chooseRuntime({ ...choice, setting: 'bubblewrap' })).toThrow(/bwrap is missing/)
  expect(() => chooseRuntime({ ...choice, setting: 'container' })).toThrow(/neither docker nor podman/)
  expect(chooseRuntime({ ...choice, setting: 'auto' }).name).toBe('process')
  expect(plainProcess({ limitWatch: createLimitWatch() }).name).toBe('process')
})
