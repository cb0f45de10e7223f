// Guarantees: the CLI that a server offers at /cli/millrace.tgz installs without a registry and works outside the clone: it
// signs in, creates, deploys and runs an app, and starts an engine.
import { execFile, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packServedCli } from '../scripts/pack-cli.ts'
import { type Ended, runCli, startCli } from './support/cli.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const run = promisify(execFile)
let folder: string
let server: ServerProcess
let owner: SignedIn
let program: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-packed-'))
  await mkdir(join(folder, 'empty'))
  await packServedCli()
  server = await startServer()
  const url = `${server.url}/cli/millrace.tgz`
  const prefix = join(folder, 'global')
  await run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', url])
  program = join(prefix, 'lib', 'node_modules', 'millrace', 'bin', 'millrace.mjs')
  owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
})
afterAll(async () => {
  await server?.remove()
  await rm(folder, { recursive: true, force: true })
})

const place = () => ({
  cwd: join(folder, 'empty'),
  configDir: join(folder, 'config'),
  env: { MILLRACE_API_URL: server.url },
  program,
})
const millrace = async (args: string[], stdin = ''): Promise<Ended> => {
  const ended = await runCli(place(), args, stdin)
  if (ended.code !== 0) throw new Error(`millrace ${args.join(' ')}: ${ended.err}`)
  return ended
}

it('signs in, creates, deploys and runs an app', async () => {
  expect((await millrace(['--version'])).out.trim()).toMatch(/^\d+\.\d+\.\d+$/)
  expect((await millrace(['login', '--key'], owner.session_token)).out).toContain('ada@mill.example in lab')
  await millrace(['app', 'create', 'my-app'])
  expect((await millrace(['deploy', 'my-app'])).out).toMatch(/^lab\/my-app@\w+/)
  const { out } = await millrace(['run', 'my-app', '-i', '{"name":"Ada"}', '--wait'])
  expect(out).toContain('Ada')
  expect((await millrace(['run', 'my-app', '-i', 'name=Eve', '--wait', '--jq', '.output.greeting'])).out).toBe(
    'Hello, Eve!\n',
  )
})

const maySandbox =
  spawnSync('bwrap', ['--unshare-user', '--unshare-net', '--ro-bind', '/', '/', 'true'], { stdio: 'ignore' }).status ===
  0

const startsAnEngine = (runtime: string) => async () => {
  const name = `packed-${runtime}`
  const engine = startCli(place(), [
    ...['engine', 'start', '--name', name, '--runtime', runtime],
    ...['--cache-path', join(folder, name)],
  ])
  try {
    for (;;) {
      const { out } = await millrace(['engine', 'list', '--json'])
      const { items } = JSON.parse(out) as { items: { name: string; status: string }[] }
      if (items.some((one) => one.name === name && one.status === 'running')) break
      if (engine.child.exitCode !== null) throw new Error(engine.err())
      await sleep(200)
    }
    const { out } = await millrace(['run', 'my-app', '-i', '{"name":"Eve"}', '--infra', 'private', '--wait'])
    expect(out).toContain('Eve')
  } finally {
    engine.child.kill('SIGTERM')
    await engine.ended
  }
}

it('starts an engine that accepts runs', startsAnEngine('process'))
it.skipIf(!maySandbox)('starts one that runs apps in a sandbox', startsAnEngine('bubblewrap'))

it('declares its Node.js version, and rejects an older one with an explanation', async () => {
  const manifest = JSON.parse(await readFile(join(program, '../../package.json'), 'utf8'))
  const oldest = Number(/^>=(\d+)$/.exec(manifest.engines.node)?.[1])
  const on = (major: number) => {
    const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${major}.1.0'}})`
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(pretend)}` }
    return spawnSync(process.execPath, [program, '--version'], { env, encoding: 'utf8' })
  }
  const { status, stdout, stderr } = on(oldest - 1)
  expect([status, stdout, stderr]).toEqual([
    1,
    '',
    `millrace needs Node.js ${oldest} or newer; this is ${oldest - 1}.1.0\n`,
  ])
  expect(on(oldest).status).toBe(0)
  for (const readme of ['../README.md', '../packages/cli/README.md'])
    expect((await readFile(new URL(readme, import.meta.url), 'utf8')).replaceAll('\n', ' ')).toContain(
      `Node.js ${oldest} or newer`,
    )
})

it('leaves the operator’s commands to the server', async () => {
  const { code, err } = await runCli(place(), ['admin', 'doctor'])
  expect([code, err]).toEqual([
    2,
    'error: millrace admin needs the server\nhint: Run `npx millrace admin` in the folder of the server\n',
  ])
})
