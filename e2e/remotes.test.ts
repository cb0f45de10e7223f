// Guarantees: a remote works with the real programs: the daemon decides what may run; the CLI streams the output and
// exits with the command's code, on pipes and on a real terminal.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CliContext, type Ended, runCli } from './support/cli.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type RemoteProcess, startRemote } from './support/remote.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const program = fileURLToPath(new URL('../packages/cli/src/main.mjs', import.meta.url))

let server: ServerProcess
let owner: SignedIn
let folder: string
let context: CliContext
let remote: RemoteProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-remote-'))
  server = await startServer({ env: { ENGINE: 'false' } })
  owner = await signIn(server.dataDir, 'ada@mill.example', 'lab')
  context = {
    cwd: folder,
    configDir: join(folder, 'config'),
    env: { MILLRACE_API_URL: server.url, MILLRACE_API_KEY: owner.session_token, MILLRACE_TEAM_ID: owner.team_id },
  }
  remote = await startRemote(context, ['--name', 'box', '--exec', '--allow', 'sh', '--allow', 'cat', '--allow', 'env'])
}, 300_000)
afterAll(async () => {
  await remote?.end('SIGINT')
  await server?.remove()
  await rm(folder, { recursive: true, force: true })
})

const onBox = (words: readonly string[], stdin = ''): Promise<Ended> =>
  runCli(context, ['remote', 'exec', 'box', '--yes', ...words], stdin)
const sh = (script: string, stdin = ''): Promise<Ended> => onBox(['--', 'sh', '-c', script], stdin)

/** Small here; `npm run prove -- remote-flood --size large` makes it ten gigabytes. */
const floodMb = Number(process.env.REMOTE_FLOOD_MB ?? 128)
/** Memory that the server may use for a flood, however long the output is. */
const budgetMb = 64
/** The process may be larger by memory that V8 has not collected yet. */
const unsweptMb = 384

const residentMb = async (): Promise<number> => {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+([0-9]+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Memory in use according to V8, inside its heap and outside, including garbage. */
const usedMb = async (): Promise<number> => {
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  const bytesOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(figures)?.[1])
  return (bytesOf('nodejs_heap_size_used_bytes') + bytesOf('nodejs_external_memory_bytes')) / 1e6
}

/** Disk use of the database. */
const databaseMb = async (): Promise<number> => {
  // PostgreSQL removes files while they are counted, and du then fails after it has printed the sum.
  const counted = promisify(execFile)('du', ['-sk', join(server.dataDir, 'postgres', 'base')])
  const { stdout } = await counted.catch((error: { stdout: string }) => error)
  return Number.parseInt(stdout, 10) / 1024
}
/** Additional disk use during a flood: discarded rows between two vacuums. */
const droppedMb = 1_500

/** The minimum of each window of readings: the value right after a collection is the retained memory. */
const lowest = (readings: readonly number[], span: number): number[] =>
  readings.slice(0, Math.max(1, readings.length - span + 1)).map((_, at) => Math.min(...readings.slice(at, at + span)))

const call = async <T>(route: string, body?: object): Promise<T> => {
  const [method = '', path = ''] = route.split(' ')
  const headers = { authorization: `Bearer ${owner.session_token}`, 'x-team-id': owner.team_id }
  const sent = body && { body: JSON.stringify(body), headers: { ...headers, 'content-type': 'application/json' } }
  return ((await (await fetch(`${server.url}${path}`, { method, headers, ...sent })).json()) as { data: T }).data
}

type Run = { id: string; status: string; exit_code: number; output_bytes: number; dropped_bytes: number }

it.runIf(process.platform === 'linux')(
  'a command that floods is read no faster than it is stored, and fills neither memory nor the database',
  async () => {
    const before = { resident: await residentMb(), used: await usedMb(), database: await databaseMb() }
    const { items } = await call<{ items: { id: string }[] }>('GET /remotes')
    const args = ['-c', `head -c ${floodMb}000000 /dev/zero; echo over >&2`]
    let run = await call<Run>(`POST /remotes/${items[0]?.id}/execs`, { command: 'sh', args })
    let most = before.resident
    let peakOnDisk = before.database
    const used: number[] = []
    while (run.status === 'pending' || run.status === 'running') {
      await sleep(100)
      most = Math.max(most, await residentMb())
      peakOnDisk = Math.max(peakOnDisk, await databaseMb())
      used.push(await usedMb())
      run = await call<Run>(`GET /execs/${run.id}`)
    }
    const held = Math.max(...lowest(used, 20))
    process.stdout.write(
      `flood of ${floodMb} MB: process ${before.resident.toFixed(0)} MB before, ${most.toFixed(0)} at most; ` +
        `in use ${before.used.toFixed(0)} MB before, ${held.toFixed(0)} held at most; ` +
        `database ${before.database.toFixed(0)} MB before, ${peakOnDisk.toFixed(0)} at most\n`,
    )
    expect(run).toMatchObject({ status: 'exited', exit_code: 0, output_bytes: floodMb * 1_000_000 + 5 })
    expect(run.output_bytes - run.dropped_bytes).toBeLessThanOrEqual(66 * 1024 * 1024)
    expect(held - before.used).toBeLessThanOrEqual(budgetMb)
    expect(most - before.resident).toBeLessThanOrEqual(unsweptMb)
    expect(peakOnDisk - before.database).toBeLessThanOrEqual(droppedMb)
  },
  3_600_000,
)

describe('the daemon', () => {
  it('prints its permissions, and keeps its key secret', async () => {
    expect(remote.err()).toContain('Commands   ON: only "sh", "cat", "env"')
    const file = join(context.configDir, 'remote.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { out } = await runCli(context, ['remote', 'list', '--json'])
    const [listed] = (JSON.parse(out) as { items: Record<string, unknown>[] }).items
    expect(listed).toMatchObject({ name: 'box', status: 'running', exec_enabled: true })
    expect(out).not.toContain(JSON.parse(await readFile(file, 'utf8')).public_key)
  })

  it('rejects commands that are not on its list, regardless of the server, and logs them', async () => {
    const { code, err } = await onBox(['--', 'ls', '/'])
    expect(code).toBe(1)
    expect(err).toContain('refused by the remote')
    const logged = JSON.parse((await runCli(context, ['remote', 'logs', '--json'])).out) as {
      command: string
      refused?: string
    }[]
    expect(logged.at(-1)).toMatchObject({ command: 'ls', args: ['/'], refused: expect.stringContaining('--allow') })
  })

  it('runs no commands by default', async () => {
    const shy: CliContext = { ...context, configDir: join(folder, 'shy') }
    const daemon = await startRemote(shy, ['--name', 'shy'])
    expect(daemon.err()).toContain('Commands   off')
    const { code, err } = await runCli(context, ['remote', 'exec', 'shy', '--yes', '--', 'true'])
    expect([code, err]).toEqual([3, expect.stringContaining('--exec')])
    expect(await daemon.end('SIGTERM')).toBe(0)
  })
})

describe('a command', () => {
  it('exits with the command’s code, with separate streams', async () => {
    expect(await sh('echo out; echo err >&2; exit 7')).toEqual({ code: 7, out: 'out\n', err: 'err\n' })
  })

  it('reads piped input to its end', async () => {
    const text = 'grain\n'.repeat(50_000)
    const { code, out } = await onBox(['--', 'cat'], text)
    expect([code, out.length, out === text]).toEqual([0, text.length, true])
  })

  it('uses no shell, starts in the given directory, and has no access to the daemon’s key', async () => {
    const { out } = await onBox(['--cwd', '/', '--', 'sh', '-c', 'pwd; echo "$1"', 'x', '$(id); *'])
    expect(out).toBe('/\n$(id); *\n')
    expect((await onBox(['--', 'env'])).out).not.toMatch(/MILLRACE_|sess_/)
  })

  it('is killed with all its children after its timeout', async () => {
    const { code, err } = await onBox(['--timeout', '1s', '--', 'sh', '-c', 'sleep 60 & echo on; sleep 60'])
    expect(code).toBe(137)
    expect(err).toContain('timed out')
  })

  it('reports a command that cannot be started', async () => {
    const { code, err } = await onBox(['--cwd', '/nowhere', '--', 'sh', '-c', 'true'])
    expect(code).toBe(1)
    expect(err).toContain('could not be started')
  })
})

/** Reports the properties of its terminal. */
const talker = `
const size = () => console.log(process.stdout.columns + 'x' + process.stdout.rows)
console.log('tty ' + process.stdin.isTTY)
size()
process.stdout.on('resize', size)
process.on('SIGINT', () => console.log('got-int'))
process.stdin.setEncoding('utf8').on('data', (text) => {
  console.log('read ' + text.trim())
  if (text.includes('bye')) process.exit(5)
})`

describe('on a terminal', () => {
  const open = (words: readonly string[]) => {
    const terminal = spawnTerminal(process.execPath, [program, 'remote', 'exec', 'box', '--yes', '--', ...words], {
      cols: 90,
      rows: 25,
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, MILLRACE_CONFIG_DIR: context.configDir, ...context.env },
    })
    let shown = ''
    const waiting = new Set<() => void>()
    terminal.onData((text) => {
      shown += text
      for (const wake of waiting) wake()
    })
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)))
    const shows = async (pattern: RegExp): Promise<void> => {
      const endMs = Date.now() + 90_000
      while (!pattern.test(shown)) {
        if (Date.now() > endMs) throw new Error(`The terminal does not show ${pattern}:\n${shown}`)
        await Promise.race([new Promise<void>((resolve) => waiting.add(resolve)), sleep(1_000)])
      }
    }
    return { terminal, ended, shows, shown: () => shown }
  }

  it('follows the size of the terminal, receives Ctrl-C as a key, and exits with its code', async () => {
    const { terminal, ended, shows, shown } = open(['sh', '-c', 'exec "$0" -e "$1"', process.execPath, talker])
    await shows(/tty true/)
    await shows(/90x25/)
    terminal.resize(120, 40)
    await shows(/120x40/)
    terminal.write('\u0003')
    await shows(/got-int/)
    terminal.write('hello\r')
    await shows(/read hello/)
    terminal.write('bye\r')
    expect(await ended, shown()).toBe(5)
  }, 300_000)
})
