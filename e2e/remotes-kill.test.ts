// Guarantees: a command on a remote is started once and its output arrives complete, byte for byte, while the network
// is cut and the server and the daemon are killed. Small here; `npm run prove -- remotes --size large` makes it large.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort, startTcpProxy, type TcpProxy } from '../packages/server/src/testing/tcp-proxy.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type RemoteProcess, startRemote } from './support/remote.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const wanted = (name: string, fallback: number): number => Number(process.env[name] ?? fallback)
const commands = wanted('REMOTE_COMMANDS', 6)
const cuts = wanted('REMOTE_CUTS', 3)
const kills = wanted('REMOTE_KILLS', 1)
const limitMs = wanted('REMOTE_LIMIT_MS', 240_000)

let server: ServerProcess
let proxy: TcpProxy
let remote: RemoteProcess
let owner: SignedIn
let folder: string
let port: number

const serverOptions = () => ({
  args: ['--port', String(port)],
  env: { ENGINE: 'false' },
})
const startDaemon = (): Promise<RemoteProcess> =>
  startRemote(
    {
      cwd: folder,
      configDir: join(folder, 'config'),
      env: {
        MILLRACE_API_URL: `http://127.0.0.1:${proxy.port}`,
        MILLRACE_API_KEY: owner.session_token,
        MILLRACE_TEAM_ID: owner.team_id,
      },
    },
    ['--name', 'box', '--exec'],
  )

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-remote-kill-'))
  port = await freePort()
  server = await startServer(serverOptions())
  owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
  proxy = await startTcpProxy(port)
  remote = await startDaemon()
}, 300_000)
afterAll(async () => {
  await remote?.end('SIGINT')
  await proxy?.close()
  await server?.remove()
  await rm(folder, { recursive: true, force: true })
})

type Json = Record<string, unknown>

/** Directly to the server, with retries while it is down. */
const call = async <T>(method: string, path: string, body?: Json, key?: string): Promise<T> => {
  for (;;) {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${owner.session_token}`,
        'x-team-id': owner.team_id,
        'content-type': 'application/json',
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => null)
    if (answer?.ok) return ((await answer.json()) as { data: T }).data
    // While the remote is disconnected nothing can be started; any other error is a defect.
    if (answer && answer.status !== 409 && answer.status < 500) throw new Error(`${path}: ${await answer.text()}`)
    await sleep(100)
  }
}

/** Counts its starts, then prints numbered lines on both streams, slowly enough to be interrupted. */
const script = (n: number) =>
  `echo start >> started.${n}; i=0; while [ $i -lt 400 ]; do echo "${n} line $i of stdout"; echo "${n} err $i" >&2; i=$((i+1)); [ $((i % 10)) -eq 0 ] && sleep 0.1; done; exit ${n % 7}`

const localRun = (n: number): { stdout: string; stderr: string } => {
  const quick = script(n)
    .replace(/echo start >> \S+; /, '')
    .replace(/\[ \$\(\(i % 10\)\) .*? sleep 0.1; /, '')
  const stderr = execFileSync('sh', ['-c', `(${quick}) 2>&1 >/dev/null; true`]).toString()
  const stdout = execFileSync('sh', ['-c', `(${quick}) 2>/dev/null; true`]).toString()
  return { stdout, stderr }
}

type Chunk = { seq: number; stream: 'stdout' | 'stderr'; data: string }
type Run = { status: string; exit_code: number | null; error: string; last_seq: number }

const whole = async (id: string): Promise<{ run: Run; stdout: string; stderr: string }> => {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let afterSeq = 0
  for (;;) {
    const chunks = await call<Chunk[]>('GET', `/execs/${id}/output?after_seq=${afterSeq}&wait_ms=2000`)
    for (const { seq, stream, data } of chunks) {
      expect(seq).toBe(afterSeq + 1)
      afterSeq = seq
      parts[stream].push(Buffer.from(data, 'base64'))
    }
    const run = await call<Run>('GET', `/execs/${id}`)
    if (chunks.length === 0 && !['pending', 'running'].includes(run.status) && run.last_seq <= afterSeq)
      return { run, stdout: Buffer.concat(parts.stdout).toString(), stderr: Buffer.concat(parts.stderr).toString() }
  }
}

const disturb = async (): Promise<void> => {
  const steps = [
    ...Array.from({ length: cuts }, () => 'cut' as const),
    ...Array.from({ length: kills }, () => ['server', 'daemon'] as const).flat(),
  ].sort(() => Math.random() - 0.5)
  for (const step of steps) {
    await sleep(300)
    if (step === 'cut') proxy.cut()
    else if (step === 'daemon') {
      await remote.end('SIGKILL')
      remote = await startDaemon()
    } else {
      await server.kill()
      server = await startServer({ ...serverOptions(), dataDir: server.dataDir })
    }
  }
}

it(
  `${commands} commands under ${cuts} cuts and ${kills} kills each of server and daemon`,
  async () => {
    const { items } = await call<{ items: { id: string }[] }>('GET', '/remotes')
    const start = (n: number, attempt: number) =>
      call<{ id: string }>(
        'POST',
        `/remotes/${items[0]?.id}/execs`,
        { command: 'sh', args: ['-c', script(n)], cwd: folder },
        `kill-${n}-${attempt}`,
      )
    /**
     * A command is sent at most once. One that was not sent or was lost on its way reports so, and its caller retries.
     */
    const outcome = async (n: number, id: string, attempt: number): ReturnType<typeof whole> => {
      const ended = await whole(id)
      if (ended.run.status !== 'denied' && ended.run.error !== 'unknown run') return ended
      expect([existsSync(join(folder, `started.${n}`)), ended.stdout, ended.stderr]).toEqual([false, '', ''])
      neverSent += 1
      return outcome(n, (await start(n, attempt + 1)).id, attempt + 1)
    }
    let neverSent = 0
    const ids = await Promise.all(Array.from({ length: commands }, (_, n) => start(n, 0)))
    const [outputs] = await Promise.all([Promise.all(ids.map(({ id }, n) => outcome(n, id, 0))), disturb()])
    for (const [n, { run, stdout, stderr }] of outputs.entries()) {
      const local = localRun(n)
      expect(run).toMatchObject({ status: 'exited', exit_code: n % 7, error: '' })
      const hash = (text: string) => createHash('sha256').update(text).digest('hex')
      expect([hash(stdout), hash(stderr)]).toEqual([hash(local.stdout), hash(local.stderr)])
      expect(await readFile(join(folder, `started.${n}`), 'utf8')).toBe('start\n')
    }
    console.log(`remotes: ${commands} commands whole, ${neverSent} times one did not arrive and was asked for again`)
  },
  limitMs,
)
