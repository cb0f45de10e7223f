// Guarantees: the packages of a version are installed once when it is deployed and run on one machine, and the progress
// of an installation is visible.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { discoverIn } from '../discover.ts'
import { type PackageIndex, startPackageIndex } from '../testing/package-index.ts'
import { type App, startWorld, type World } from '../testing/world.ts'
import { handOver, handoverFolder } from './handover.ts'
import { createProgressReporter, pipProgress } from './progress.ts'

const hasPython = spawnSync('python3', ['-m', 'venv', '--help']).status === 0

const apps: { kernel: string; needs: boolean; files: Record<string, string> }[] = [
  {
    kernel: 'node-22',
    needs: true,
    files: {
      'inference.js': `import { demo } from 'demo'\nexport class App { run() { return demo } }`,
      'package.json': JSON.stringify({ type: 'module', dependencies: { demo: '1.0.0' } }),
    },
  },
  {
    kernel: 'python-3.11',
    needs: hasPython,
    files: {
      'inference.py': 'from demo import demo\nclass App:\n  def run(self, input): return demo\n',
      'requirements.txt': 'demo==1.0\n',
    },
  },
]

describe.each(apps)('an app of $kernel', ({ kernel, needs, files }) => {
  let index: PackageIndex
  let world: World
  let home: string
  let root: string
  beforeAll(async () => {
    index = await startPackageIndex()
    home = await mkdtemp(join(tmpdir(), 'millrace-handover-'))
    world = await startWorld({
      env: { ...index.env, HOME: home, XDG_CACHE_HOME: home, npm_config_cache: join(home, 'npm') },
    })
    root = handoverFolder({ XDG_CACHE_HOME: home }) ?? ''
  })
  afterAll(async () => {
    await world.close()
    index.close()
    await rm(home, { recursive: true, force: true })
  })

  /** As a deploy does, before the bundle is uploaded. */
  const deploy = async (app: App, marked: string): Promise<string[]> => {
    const work = await mkdtemp(join(home, 'deploy-'))
    const folder = join(work, 'app')
    await mkdir(folder)
    for (const [name, text] of Object.entries({ ...files, marked })) await writeFile(join(folder, name), text)
    const lines: string[] = []
    const { schema, installed } = await discoverIn(work, {
      folder,
      kernel,
      // A separate cache, so that a second installation downloads again.
      env: { PATH: process.env.PATH ?? '', ...index.env, HOME: home, npm_config_cache: join(work, 'npm') },
      onInstallLine: (line) => lines.push(line),
    })
    expect([Object.keys(schema.functions), installed]).toEqual([['run'], true])
    await handOver(work, app.checksum, root)
    return lines
  }

  test.skipIf(!needs)('is installed at its deployment, and not again at its first run', async () => {
    const app = world.app({ ...files, marked: 'first' }, kernel)
    const lines = await deploy(app, 'first')
    expect(lines.join('\n')).toMatch(/npm has fetched 1 package|Collecting demo/)
    const before = index.fetched()
    expect(before).toBeGreaterThan(0)
    const task = world.run(app)
    expect(await task.end).toEqual({ type: 'task_completed', output: 'from the index' })
    expect(index.fetched()).toBe(before)
    expect(task.logs(0)).toContain('installed when the app was deployed')
    expect(await readdir(root)).toEqual([])
  })

  // The code is the same for both languages, and pip is slow.
  if (kernel === 'node-22') {
    test('is installed by an engine without prepared packages, and reports progress', async () => {
      const before = index.fetched()
      const task = world.run(world.app({ ...files, marked: 'second' }, kernel))
      expect(await task.end).toEqual({ type: 'task_completed', output: 'from the index' })
      expect(index.fetched()).toBeGreaterThan(before)
      expect(task.logs(0)).toMatch(/npm has fetched 1 package|Collecting demo/)
    })

    test('packages for another machine are not used', async () => {
      const app = world.app({ ...files, marked: 'third' }, kernel)
      const offered = join(root, app.checksum)
      await mkdir(join(offered, 'node_modules/demo'), { recursive: true })
      await mkdir(join(offered, 'environment'))
      await writeFile(join(offered, 'stamp'), 'another machine')
      expect(await world.run(app).end).toEqual({ type: 'task_completed', output: 'from the index' })
    })
  }
})

test('unused packages are removed after a day', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-handover-'))
  const checksum = (text: string) => createHash('sha256').update(text).digest('hex')
  const work = await mkdtemp(join(root, 'deploy-'))
  await mkdir(join(work, 'code/node_modules'), { recursive: true })
  await mkdir(join(root, checksum('old')))
  await utimes(join(root, checksum('old')), 1, 1)
  await handOver(work, checksum('new'), root)
  expect((await readdir(root)).filter((name) => !name.startsWith('deploy-'))).toEqual([checksum('new')])
  await rm(root, { recursive: true })
})

test('a second handover of one bundle replaces the first', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-handover-'))
  for (const python of ['first', 'second']) {
    const work = await mkdtemp(join(tmpdir(), 'millrace-deploy-'))
    await mkdir(join(work, 'environment'))
    await writeFile(join(work, 'environment/pyvenv.cfg'), python)
    await handOver(work, 'bundle', root)
    await rm(work, { recursive: true })
  }
  expect(await readdir(root)).toEqual(['bundle'])
  expect(await readFile(join(root, 'bundle/environment/pyvenv.cfg'), 'utf8')).toBe('second')
  await rm(root, { recursive: true })
})

test('stored packages have a size limit: the oldest are removed first, and larger ones are not stored', async () => {
  const root = await mkdtemp(join(tmpdir(), 'millrace-handover-'))
  const deployed = async (name: string, bytes: number) => {
    const work = await mkdtemp(join(tmpdir(), 'millrace-deploy-'))
    await mkdir(join(work, 'code/node_modules'), { recursive: true })
    await writeFile(join(work, 'code/node_modules/index.js'), Buffer.alloc(bytes))
    await handOver(work, name, root, 300_000)
    await rm(work, { recursive: true })
  }
  for (const [age, name] of ['first', 'second'].entries()) {
    await deployed(name, 120_000)
    await utimes(join(root, name), new Date(), new Date(Date.now() - 60_000 * (2 - age)))
  }
  await deployed('third', 120_000)
  expect((await readdir(root)).sort()).toEqual(['second', 'third'])
  await deployed('fourth', 400_000)
  expect((await readdir(root)).sort()).toEqual(['second', 'third'])
  await rm(root, { recursive: true })
})

describe.skipIf(process.getuid?.() !== 0)('packages deployed by root', () => {
  let roots: string
  let bundle: string
  const checksum = createHash('sha256').update('of root').digest('hex')
  beforeAll(async () => {
    roots = await mkdtemp(join(tmpdir(), 'millrace-roots-'))
    await mkdir(join(roots, checksum, 'node_modules/demo'), { recursive: true })
    await writeFile(join(roots, checksum, 'node_modules/demo/index.js'), 'export {}')
    await writeFile(join(roots, checksum, 'stamp'), `${process.platform} ${process.arch} ${process.versions.modules}`)
    await chmod(roots, 0o755)
  })
  beforeEach(async () => {
    const work = await mkdtemp(join(tmpdir(), 'millrace-engine-'))
    bundle = join(work, checksum, 'code')
    await mkdir(bundle, { recursive: true })
    for (const folder of [work, join(work, checksum), bundle]) await chown(folder, nobody, nobody)
  })
  afterEach(() => rm(join(bundle, '../..'), { recursive: true }))
  afterAll(() => rm(roots, { recursive: true }))

  const nobody = 65_534
  /** The engine runs as another user. */
  const takeAsNobody = (): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { takeOver } = await import(${JSON.stringify(new URL('./handover.ts', import.meta.url).href)})
       process.setgroups([]); process.setgid(${nobody}); process.setuid(${nobody})
       const host = { env: {}, runtime: { name: 'process' } }
       process.stdout.write(String(await takeOver(${JSON.stringify(bundle)}, host, ${JSON.stringify(roots)})))`,
    ])
    return stdout.toString() || stderr.toString()
  }

  test('are copied by an engine of another user, and stay for the next one', async () => {
    for (const _ of [1, 2]) expect(takeAsNobody()).toBe('true')
    expect((await stat(join(bundle, 'node_modules/demo/index.js'))).uid).toBe(nobody)
  })

  test('are not used where another user can write', async () => {
    await chmod(roots, 0o777)
    expect(takeAsNobody()).toBe('false')
    await chmod(roots, 0o755)
    await chown(join(roots, checksum), nobody, nobody)
    expect(takeAsNobody()).toBe('false')
    await chown(join(roots, checksum), 0, 0)
  })

  test('are not used where only root can read a part', async () => {
    await chmod(join(roots, checksum, 'node_modules/demo/index.js'), 0o600)
    expect(takeAsNobody()).toBe('false')
    expect(await readdir(bundle)).toEqual([])
  })
})

test('progress shows tenths of a long download, tens of npm packages, and other lines unchanged', () => {
  const report = createProgressReporter()
  const lines = [
    'Collecting torch',
    'Progress 0 of 1000000',
    'Progress 120000 of 1000000',
    'Progress 130000 of 1000000',
  ]
  expect(lines.map(report)).toEqual(['Collecting torch', undefined, '10 % of 1.0 MB', undefined])
  expect(report('Progress 1000000 of 1000000')).toBe('100 % of 1.0 MB')
  expect(report('Progress 50 of 200')).toBe('20 % of 0.0 MB')
  const fetched = Array.from({ length: 10 }, (_, at) => report(`npm http fetch GET 200 https://host/${at}.tgz 5ms`))
  expect(fetched.filter(Boolean)).toEqual(['npm has fetched 1 package', 'npm has fetched 10 packages'])
  expect(report('npm http fetch GET 200 https://host/demo 5ms')).toBeUndefined()
})

test('only a pip version with text progress is asked for it', () => {
  expect(pipProgress(['pip-23.2.1.dist-info', 'pip'])).toEqual([])
  expect(pipProgress(['pip-24.0.dist-info'])).toEqual([])
  expect(pipProgress(['pip-24.1.dist-info'])).toEqual(['--progress-bar', 'raw'])
  expect(pipProgress(['pip-26.0.1.dist-info'])).toEqual(['--progress-bar', 'raw'])
})
