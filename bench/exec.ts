// Compares a command on a remote with the same command over ssh on this machine: time to the first byte, and throughput
// of large output. If no sshd can be started for this user, only the remote is measured.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { signIn } from '../e2e/support/operator.ts'
import { startRemote } from '../e2e/support/remote.ts'
import { startServer } from '../e2e/support/server.ts'
import { freePort } from '../packages/server/src/testing/tcp-proxy.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 30)
const bytes = Number(process.env.BENCH_BYTES ?? 32 * 1024 * 1024)

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-exec-'))
const server = await startServer({ env: { ENGINE: 'false' } })
const owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
const env = { MILLRACE_API_URL: server.url, MILLRACE_API_KEY: owner.session_token, MILLRACE_TEAM_ID: owner.team_id }
const remote = await startRemote({ cwd: folder, configDir: join(folder, 'config'), env }, ['--name', 'bench', '--exec'])

const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      'content-type': 'application/json',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return ((await answer.json()) as { data: T }).data
}
const { items } = await call<{ items: { id: string }[] }>('GET', '/remotes')
const startExec = (command: string, args: string[]) =>
  call<{ id: string }>('POST', `/remotes/${items[0]?.id}/execs`, { command, args })

type Chunk = { seq: number; data: string }
const read = (id: string, afterSeq: number) =>
  call<Chunk[]>('GET', `/execs/${id}/output?after_seq=${afterSeq}&wait_ms=20000`)

const remoteFirstByte = async (): Promise<number> => {
  const beganAt = performance.now()
  const { id } = await startExec('echo', ['hello'])
  if ((await read(id, 0)).length === 0) throw new Error('the command printed nothing')
  return performance.now() - beganAt
}

const remoteBytesPerSecond = async (): Promise<number> => {
  const beganAt = performance.now()
  const { id } = await startExec('head', ['-c', String(bytes), '/dev/zero'])
  let received = 0
  for (let afterSeq = 0; received < bytes; )
    for (const { seq, data } of await read(id, afterSeq)) {
      received += Buffer.from(data, 'base64').length
      afterSeq = seq
    }
  return (received / (performance.now() - beganAt)) * 1000
}

/** An sshd of this user on its own port; null if none can be started. */
const startSshd = async (): Promise<{ ssh: string[]; stop: () => void } | null> => {
  const program = ['/usr/sbin/sshd', '/usr/bin/sshd']
  const keys = join(folder, 'ssh')
  await mkdir(keys, { mode: 0o700 })
  const port = await freePort()
  try {
    for (const name of ['host', 'user'])
      await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(keys, name)])
    await promisify(execFile)('cp', [join(keys, 'user.pub'), join(keys, 'authorized')])
    await promisify(execFile)('test', ['-x', program[0] ?? ''])
  } catch {
    return null
  }
  const config = join(keys, 'config')
  await writeFile(
    config,
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${join(keys, 'host')}\nAuthorizedKeysFile ${join(keys, 'authorized')}\nStrictModes no\nPidFile none\nUsePAM no\n`,
  )
  const child = spawn(program[0] ?? '', ['-D', '-f', config], { stdio: 'ignore' })
  const ssh = [
    '-p',
    String(port),
    '-i',
    join(keys, 'user'),
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'LogLevel=ERROR',
    '127.0.0.1',
  ]
  for (let n = 0; n < 50; n += 1) {
    const works = await promisify(execFile)('ssh', [...ssh, 'true']).then(
      () => true,
      () => false,
    )
    if (works) return { ssh, stop: () => child.kill() }
    await sleep(100)
  }
  child.kill()
  return null
}

const sshFirstByte = async (ssh: string[]): Promise<number> => {
  const beganAt = performance.now()
  const child = spawn('ssh', [...ssh, 'echo', 'hello'], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  const took = performance.now() - beganAt
  await once(child, 'close')
  return took
}

const sshBytesPerSecond = async (ssh: string[]): Promise<number> => {
  const beganAt = performance.now()
  const child = spawn('ssh', [...ssh, 'head', '-c', String(bytes), '/dev/zero'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  child.stdout.resume()
  await once(child, 'close')
  return (bytes / (performance.now() - beganAt)) * 1000
}

const mebi = (value: number): string => `${(value / 1024 / 1024).toFixed(1)} MiB/s`

try {
  await remoteFirstByte()
  const sshd = await startSshd()
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let n = 0; n < rounds; n += 1) {
    ours.push(await remoteFirstByte())
    if (sshd) theirs.push(await sshFirstByte(sshd.ssh))
  }
  const rate = await remoteBytesPerSecond()
  console.log(`first byte, median of ${rounds}: remote ${median(ours).toFixed(1)} ms`)
  console.log(`output of ${bytes} bytes: remote ${mebi(rate)}`)
  if (sshd) {
    console.log(
      `first byte over ssh: ${median(theirs).toFixed(1)} ms; ratio ${(median(ours) / median(theirs)).toFixed(2)}`,
    )
    console.log(`output over ssh: ${mebi(await sshBytesPerSecond(sshd.ssh))}`)
    sshd.stop()
  } else console.log('ssh: skipped, no sshd could be started here (Debian: openssh-server)')
} finally {
  await remote.end('SIGINT')
  await server.remove()
  await rm(folder, { recursive: true, force: true })
}
