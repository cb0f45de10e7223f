// Guarantees: an engine uses the command line of a container engine correctly: the app starts, is reachable through the
// published port, reads and writes its mounts, and is removed at its end. The container engine is a stand-in that
// isolates nothing (`testing/container-program.mjs`); `container-real.test.ts` uses a real one.

import { chmod, copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { seal } from '@millrace/contract/sealed-box'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPython } from '../environments/python-environment.ts'
import { pidsWithEnv } from '../machine/process-table.ts'
import { startWorld, type World } from '../testing/world.ts'

const standIn = new URL('../testing/container-program.mjs', import.meta.url).pathname

let root: string
let world: World
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-container-'))
  const bin = join(root, 'bin')
  await mkdir(bin)
  await copyFile(standIn, join(bin, 'docker'))
  await chmod(join(bin, 'docker'), 0o755)
  world = await startWorld({
    settings: { runtime: 'container', memory_limit_mb: 512, process_limit: 33, network_name: 'apps' },
    env: { PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'), DOCKER_CONFIG: root, HOME: root },
  })
})
afterAll(async () => {
  await world.close()
  await rm(root, { recursive: true, force: true })
})

type Call = { verb: string; args: string[]; home: string }
const calls = async (verb: string): Promise<Call[]> =>
  (await readFile(join(root, 'calls.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Call)
    .filter((call) => call.verb === verb)

test('[E47] an app runs and stays warm, and the container engine enforces its limits', async () => {
  const app = world.app({
    'inference.js': 'let n = 0\nexport class App { run() { return { n: ++n, home: process.env.HOME } } }',
  })
  expect(await world.run(app).end).toMatchObject({ type: 'task_completed', output: { n: 1 } })
  expect(await world.run(app).end).toMatchObject({ type: 'task_completed', output: { n: 2 } })
  const [run, ...more] = await calls('run')
  expect(more).toEqual([])
  // The program keeps its own environment, independent of the app's.
  expect(run?.home).toBe(root)
  const line = run?.args.join(' ') ?? ''
  for (const part of [
    '--memory 512000000 --memory-swap 512000000 --pids-limit 33',
    '--network apps',
    '--read-only',
    '--cap-drop ALL --security-opt no-new-privileges',
    '--env HOME=/app/data',
    'node:22-slim node',
  ])
    expect(line).toContain(part)
})

test('[E47] secrets reach the app and never the command line', async () => {
  const app = world.app({ 'inference.js': 'export class App { run() { return { token: process.env.TOKEN } } }' })
  const key = world.server.registrations[0]?.local_engine_state.public_key ?? ''
  const secrets = seal(JSON.stringify({ TOKEN: 'a-value-to-hide' }), key, 'task:secretive')
  expect((await world.run(app, { id: 'secretive' }, { secrets }).end).output).toEqual({ token: 'a-value-to-hide' })
  expect(JSON.stringify(await calls('run'))).not.toContain('a-value-to-hide')
})

test('[E47] files written by an app are visible to the host', async () => {
  const app = world.app({
    'inference.js': `import { writeFileSync } from 'node:fs'
      export class App { run() {
        writeFileSync(process.env.MILLRACE_TMP_DIR + '/made.txt', 'made inside')
        return { path: '/app/tmp/made.txt' }
      } }`,
  })
  const end = await world.run(app).end
  expect(world.server.files.get(String(end.output))?.content.toString()).toBe('made inside')
})

test.skipIf(findPython('3', { PATH: process.env.PATH ?? '' }) === undefined)(
  '[E47] Python comes from its image',
  async () => {
    const app = world.app(
      { 'inference.py': 'class App:\n  async def run(self, input):\n    return {"ok": True}\n' },
      'python-3.12',
    )
    expect(await world.run(app).end).toEqual({ type: 'task_completed', output: { ok: true } })
    expect((await calls('run')).at(-1)?.args).toContain('python:3.12-slim')
  },
)

test('[E47] an ended container is removed by name, and the worker continues', async () => {
  const app = world.app({ 'inference.js': 'export class App { run() { for (;;); }\n ok() { return 1 } }' })
  const task = world.run(app)
  await task.seen('task_running')
  world.server.send({ type: 'task_force_cancel', data: { task: { id: task.id } } })
  expect(await task.end).toMatchObject({ type: 'task_cancelled' })
  const name = (await calls('run')).at(-1)?.args.find((part) => part.startsWith('millrace-'))
  expect((await calls('rm')).map(({ args }) => args)).toContainEqual(['--force', name])
  expect(await world.run(app, { function: 'ok' }).end).toEqual({ type: 'task_completed', output: 1 })
})

test('[E47] a kill by the container engine is reported', async () => {
  const app = world.app({ 'inference.js': "export class App { run() { process.kill(process.pid, 'SIGKILL') } }" })
  expect((await world.run(app).end).error).toBe(
    'the container was killed, probably because it exceeded its memory limit',
  )
})

test('[E47] no container is left after the engine has ended', async () => {
  const other = await startWorld({ settings: { runtime: 'container' }, env: world.config.hostEnv })
  const app = other.app({ 'inference.js': 'export class App { run() { return 1 } }' })
  await other.run(app).end
  const mark = `MILLRACE_ENGINE=${other.engine.engineId}`
  expect(pidsWithEnv(mark).length).toBeGreaterThan(0)
  await other.close()
  expect(pidsWithEnv(mark)).toEqual([])
})
