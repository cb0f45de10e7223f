// Guarantees: the program as operators use it: one command, a clear error if it cannot run, an orderly stop, health,
// metrics, and the same behavior with an external PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isAlive } from '../packages/server/src/platform/db/embedded/processes.ts'
import { millrace, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const program = fileURLToPath(new URL('../packages/server/src/start/main.mjs', import.meta.url))

const runToEnd = async (args: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  const [code] = (await once(child, 'exit')) as [number]
  return { code, output }
}

describe('a running server', () => {
  let server: ServerProcess
  beforeAll(async () => {
    server = await startServer({ env: { ENGINE: 'false' } })
  })
  afterAll(() => server?.remove())

  it('starts with a banner, health, readiness, metrics, reference', async () => {
    expect(server.output()).toContain('is ready')
    expect(server.ownerLink).toContain('/sign-in/setup?token=')
    expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ status: 'ok' })
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
      'millrace_http_request_duration_seconds_bucket',
    )
    expect(await (await fetch(`${server.url}/docs`)).text()).toContain('Millrace API')
  })

  it('a second server on the same folder fails with an explanation', async () => {
    const { code, output } = await runToEnd(['--port', '0', '--data-dir', server.dataDir])
    expect(code).toBe(1)
    expect(output).toContain(server.dataDir)
    expect(output).toContain(String(server.pid))
  })

  it('a second server on the same port fails with one sentence, before it creates a database', async () => {
    const dataDir = `${server.dataDir}-beside`
    const { code, output } = await runToEnd(['--port', new URL(server.url).port, '--data-dir', dataDir])
    const made = await readdir(dataDir)
    await rm(dataDir, { recursive: true })
    expect(code).toBe(1)
    expect(output.trim()).toMatch(/^Port \d+ of 127\.0\.0\.1 is taken by another program\..*$/)
    expect(made).not.toContain('postgres')
  })

  it('the operator’s commands work while it runs', async () => {
    const owner = await signIn(server.dataDir, 'first@example.com', 'acme')
    expect(owner).toMatchObject({ namespace: 'acme', session_token: expect.stringMatching(/^sess_/) })
    expect(owner.sign_in_url).toContain(server.url)
    const me = await fetch(`${server.url}/me`, { headers: { authorization: `Bearer ${owner.session_token}` } })
    expect(await me.json()).toMatchObject({ data: { user: { email: 'first@example.com', role: 'admin' } } })
    const key = JSON.parse(
      await millrace(
        server.dataDir,
        'admin',
        'keys',
        'create',
        '--email',
        'first@example.com',
        '--team',
        'acme',
        '--json',
      ),
    )
    const teams = await fetch(`${server.url}/teams`, { headers: { authorization: `Bearer ${key.key}` } })
    expect(teams.status).toBe(200)
    expect(JSON.parse(await millrace(server.dataDir, 'admin', 'doctor', '--json'))).toMatchObject({ ok: true })
    expect(JSON.parse(await millrace(server.dataDir, 'admin', 'verify-audit', '--json'))).toMatchObject({ ok: true })
  })
})

it('all invalid settings are reported in one message', async () => {
  const { code, output } = await runToEnd(['--port', 'x', '--smtp-url', 'nope'], { LOG_LEVEL: 'loud' })
  expect(code).toBe(1)
  for (const name of ['PORT', 'SMTP_URL', 'LOG_LEVEL']) expect(output).toContain(name)
})

it('SIGTERM finishes active requests, then stops the database too', async () => {
  const server = await startServer({ env: { ENGINE: 'false' } })
  try {
    // A request whose body is incomplete when the signal arrives.
    const slow = request(`${server.url}/device/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>
    slow.write('{"token_kind":')
    await expect.poll(async () => (await fetch(`${server.url}/healthz`)).status).toBe(200)
    const stopped = server.stop()
    await new Promise((resolve) => setTimeout(resolve, 100))
    slow.end('"session"}')
    const [response] = await answered
    expect(response.statusCode).toBe(200)
    response.resume()
    await stopped
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    // The folder is unlocked, and its data is still there.
    const again = await startServer({ dataDir: server.dataDir, env: { ENGINE: 'false' } })
    expect((await fetch(`${again.url}/readyz`)).status).toBe(200)
    await again.stop()
  } finally {
    await rm(server.dataDir, { recursive: true, force: true })
  }
})

it('a second signal does not wait, and leaves no database behind', async () => {
  const server = await startServer({ env: { ENGINE: 'false', LOG_LEVEL: 'info' } })
  try {
    const [pid = ''] = (await readFile(join(server.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
    // An endless request prevents an orderly stop.
    const endless = request(`${server.url}/device/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    })
    endless.on('error', () => {})
    endless.write('{')
    await expect.poll(async () => (await fetch(`${server.url}/healthz`)).status).toBe(200)
    process.kill(server.pid, 'SIGTERM')
    await expect.poll(() => server.output()).toContain('stopping')
    process.kill(server.pid, 'SIGINT')
    await expect.poll(() => [server.pid, Number(pid)].filter(isAlive)).toEqual([])
  } finally {
    await rm(server.dataDir, { recursive: true, force: true })
  }
})

/** Forwards a signal that the whole process group has received, as npm does, but never within the same millisecond. */
const launcher = `
import { spawn } from 'node:child_process'
const server = spawn(process.execPath, process.argv.slice(2), { stdio: 'inherit' })
process.on('SIGINT', () => setTimeout(() => server.kill('SIGINT'), 20))
server.on('exit', (code) => process.exit(code))
`

const projectFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-npm-'))
  const start = `exec "${process.execPath}" launcher.mjs "${program}" --port 0 --data-dir data`
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'start', scripts: { start } }))
  await writeFile(join(folder, 'launcher.mjs'), launcher)
  return folder
}

const readPid = async (path: string): Promise<number | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => '')
  return Number(/\d+/.exec(text)?.[0]) || undefined
}

// The server receives one Ctrl-C several times: from the terminal, from npm and from the launcher.
it('one Ctrl-C on `npm start` in a terminal stops the engine and the database in order', async () => {
  const folder = await projectFolder()
  const { PATH, HOME = folder } = process.env
  const env = { PATH: PATH ?? '', HOME, CONSOLE: 'false', LOG_LEVEL: 'info', TERM: 'xterm' }
  const terminal = spawnTerminal('npm', ['start'], { cwd: folder, env })
  let output = ''
  terminal.onData((text) => {
    output += text
  })
  const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
  try {
    await expect.poll(() => output, { timeout: 120_000 }).toContain('is ready')
    // The engine starts once the installation has an owner.
    const data = join(folder, 'data')
    await signIn(data, 'first@example.com', 'acme')
    const pidFiles = [join(data, 'engine', 'engine.pid'), join(data, 'postgres', 'postmaster.pid')]
    const pids = () => Promise.all(pidFiles.map(readPid))
    await expect.poll(pids, { timeout: 60_000 }).not.toContain(undefined)
    const started = await pids()
    terminal.write('\u0003')
    expect(await ended).toBe(0)
    expect(output).toContain('stopping')
    expect(started.filter((pid) => pid !== undefined && isAlive(pid))).toEqual([])
  } finally {
    terminal.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})

it('runs over an external PostgreSQL through the same code', async () => {
  const admin = new pg.Client({ connectionString: inject('postgres') })
  await admin.connect()
  await admin.query('create database external_millrace')
  const DATABASE_URL = inject('postgres').replace(/^(\w+:\/\/[^/]*\/)[^?]*/, '$1external_millrace')
  const server = await startServer({ env: { ENGINE: 'false', DATABASE_URL } })
  try {
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(server.output()).not.toContain('(embedded)')
  } finally {
    await server.remove()
    await admin.query('drop database external_millrace with (force)')
    await admin.end()
  }
})
