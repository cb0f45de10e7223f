// Guarantees: the daemon implements docs/protocol/remote.md rule by rule, with real commands; every rule has its test.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { RemoteToServer, ServerToRemote } from '@millrace/contract/remote-frames'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { environmentOf } from './child.ts'
import { refusalOf } from './policy.ts'
import { linkTimes, openServerLink, waitMs } from './server-link.ts'
import { openSpool } from './spool.ts'
import { spoolLimitBytes } from './stored-run.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

let folder: string
let supervisor: Supervisor
let said: RemoteToServer[]
let wake: () => void = () => {}

const carrier = (frame: RemoteToServer): boolean => {
  said.push(frame)
  wake()
  return true
}
const open = (): Supervisor =>
  createSupervisor(folder, { PATH: process.env.PATH, MILLRACE_API_KEY: 'hush' }, () => performance.now())

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-supervisor-'))
  said = []
  supervisor = open()
  supervisor.connect(carrier)
})
afterEach(async () => {
  supervisor.killAll()
  supervisor.disconnect()
  // Each command writes its end to the folder.
  await expect.poll(() => supervisor.running()).toBe(0)
  await rm(folder, { recursive: true, force: true })
})

const start = (id: string, script: string, more: object = {}): void =>
  supervisor.receive({
    type: 'remote_exec_start',
    data: {
      exec_run_id: id,
      command: 'sh',
      args: ['-c', script],
      cwd: '/',
      env: [],
      pty: false,
      timeout_ms: 0,
      ...more,
    },
  } as ServerToRemote)

type Exit = Extract<RemoteToServer, { type: 'remote_exec_exit' }>['data']

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds())
    await new Promise<void>((resolve) => {
      wake = resolve
    })
}
const exitOf = async (id: string): Promise<Exit> => {
  const find = () => said.find((frame) => frame.type === 'remote_exec_exit' && frame.data.exec_run_id === id)
  await until(() => find() !== undefined)
  return find()?.data as Exit
}
const chunksOf = (id: string) =>
  said.flatMap((frame) => (frame.type === 'remote_exec_output' && frame.data.exec_run_id === id ? [frame.data] : []))
const textOf = (id: string): string =>
  Buffer.concat(chunksOf(id).map(({ data }) => Buffer.from(data, 'base64'))).toString()
const type = (id: string, seq: number, text: string, eof = false): void =>
  supervisor.receive({
    type: 'remote_exec_input',
    data: { exec_run_id: id, seq, data: Buffer.from(text).toString('base64'), eof },
  })
const ack = (id: string, seq: number, exited = false): void =>
  supervisor.receive({ type: 'remote_exec_ack', data: { exec_run_id: id, seq, exited } })

it('the protocol page and the tests name the same rules', async () => {
  const page = await readFile(new URL('../../../../docs/protocol/remote.md', import.meta.url), 'utf8')
  const written = [...page.matchAll(/^- [*]{2}(D[0-9]+)[*]{2}/gm)].map((match) => String(match[1]))
  const here = new URL('./', import.meta.url)
  const tested = new Set<string>()
  for (const file of (await readdir(here)).filter((name) => name.endsWith('.test.ts')))
    for (const match of (await readFile(new URL(file, here), 'utf8')).matchAll(/\[(D[0-9]+)\]/g))
      tested.add(String(match[1]))
  expect([...tested].sort()).toEqual(written.sort())
})

describe('connection', () => {
  const serve = async (refuse: () => number | null) => {
    const http = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    http.on('upgrade', (request, socket, head) => {
      const status = refuse()
      if (status !== null) socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
      else sockets.handleUpgrade(request, socket, head, (made) => sockets.emit('connection', made))
    })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    return {
      url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
      sockets,
      close: () => {
        for (const client of sockets.clients) client.terminate()
        http.close()
      },
    }
  }
  const nothing = { headers: {}, onOpen: () => {}, onLost: () => {}, onFrame: () => {}, onRoom: () => {} }
  const quick = { ...linkTimes, firstWaitMs: 1, maxWaitMs: 2, heartbeatMs: 20 }

  it('[D1] registers at once, keeps the connection alive and reconnects after a break', async () => {
    expect(linkTimes).toMatchObject({ heartbeatMs: 15_000, pingMs: 20_000, silenceMs: 60_000 })
    expect([0, 1, 30].map((failures) => waitMs(failures, 1, linkTimes))).toEqual([200, 400, 15_000])
    expect(waitMs(0, 0, linkTimes)).toBe(100)
    const server = await serve(() => null)
    let dials = 0
    const heard: string[] = []
    const twice = new Promise<void>((resolve) =>
      server.sockets.on('connection', (socket) => {
        dials += 1
        socket.on('message', (data) => {
          heard.push(JSON.parse(data.toString()).type)
          if (dials === 1) socket.terminate()
          else if (heard.length > 3) resolve()
        })
      }),
    )
    const link = openServerLink({ ...nothing, url: server.url, times: quick, onRefused: () => {} })
    await twice
    expect(new Set(heard)).toEqual(new Set(['remote_heartbeat']))
    await link.close()
    server.close()
  })

  it.each([
    ['deleted', 404],
    ['not allowed', 403],
    ['unknown', 401],
  ])('[D2] ends when it is %s', async (_claim, status) => {
    const server = await serve(() => status)
    const why = await new Promise<string>((resolve) =>
      openServerLink({ ...nothing, url: server.url, times: quick, onRefused: resolve }),
    )
    expect(why).not.toBe('')
    server.close()
  })

  it('ends when another process replaces it', async () => {
    const server = await serve(() => null)
    server.sockets.on('connection', (socket) => socket.close(4000))
    const why = await new Promise<string>((resolve) =>
      openServerLink({ ...nothing, url: server.url, times: quick, onRefused: resolve }),
    )
    expect(why).toContain('another process')
    server.close()
  })
})

describe('commands', () => {
  it('[D3] start once', async () => {
    const file = join(folder, '..', `${folder.split('/').at(-1)}.count`)
    start('a', `echo x >> ${file}; sleep 0.2`)
    start('a', `echo x >> ${file}`)
    await exitOf('a')
    start('a', `echo x >> ${file}`)
    expect(await readFile(file, 'utf8')).toBe('x\n')
    await rm(file)
  })

  it('[D4] are killed with all their child processes', async () => {
    supervisor.receive({
      type: 'remote_exec_start',
      data: { exec_run_id: 'v', command: 'echo', args: ['$HOME; ls'], cwd: '/', env: [], pty: false, timeout_ms: 0 },
    })
    await exitOf('v')
    expect(textOf('v')).toBe('$HOME; ls\n')
    start('k', 'sleep 300 & echo $!; wait')
    await until(() => textOf('k').endsWith('\n'))
    const grandchild = Number(textOf('k'))
    supervisor.receive({ type: 'remote_exec_signal', data: { exec_run_id: 'k', signal: 'SIGKILL' } })
    expect(await exitOf('k')).toMatchObject({ exit_code: null, error: 'ended by SIGKILL' })
    await expect.poll(() => isAlive(grandchild)).toBe(false)
    start('t', 'sleep 300', { timeout_ms: 50 })
    expect(await exitOf('t')).toMatchObject({ exit_code: null, timed_out: true })
  })

  it('[D5] send their output in chunks and in order', async () => {
    start('o', 'head -c 300000 /dev/zero; echo end >&2; exit 3')
    expect(await exitOf('o')).toMatchObject({ exit_code: 3, timed_out: false })
    const chunks = chunksOf('o')
    expect(chunks.map(({ seq }) => seq)).toEqual(chunks.map((_, index) => index + 1))
    for (const { data } of chunks) expect(Buffer.from(data, 'base64').length).toBeLessThanOrEqual(64 * 1024)
    const bytes = (stream: string) =>
      chunks
        .filter((one) => one.stream === stream)
        .reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0)
    expect([bytes('stdout'), bytes('stderr')]).toEqual([300_000, 4])
  })

  it('[D6] pause while their output is not read, and continue afterwards', async () => {
    supervisor.disconnect()
    const total = spoolLimitBytes + 40 * 1024 * 1024
    start('f', `head -c ${total} /dev/zero; echo done >&2`)
    const spoolSize = async () => {
      const names = await readdir(join(folder, 'f')).catch(() => [])
      return names.length
    }
    await expect.poll(spoolSize, { timeout: 60_000 }).toBeGreaterThanOrEqual(spoolLimitBytes / (4 * 1024 * 1024))
    expect(supervisor.running()).toBe(1)
    let received = 0
    const over = new Promise<void>((resolve) => {
      supervisor.connect((frame) => {
        if (frame.type === 'remote_exec_output') {
          received += Buffer.from(frame.data.data, 'base64').length
          setImmediate(ack, 'f', frame.data.seq)
        } else if (frame.type === 'remote_exec_exit') resolve()
        return true
      })
    })
    supervisor.receive({ type: 'remote_exec_replay', data: { exec_run_id: 'f', after_seq: 0 } })
    await over
    expect(received).toBe(total + 5)
  })

  it('[D7] are sent again from the position of the receiver', async () => {
    start('r', 'echo one; read x; echo two; read x; echo three', { stdin: true })
    await until(() => textOf('r') === 'one\n')
    type('r', 1, '\n')
    await until(() => textOf('r') === 'one\ntwo\n')
    type('r', 2, '\n')
    await exitOf('r')
    expect(chunksOf('r').length).toBe(3)
    said = []
    supervisor.disconnect()
    supervisor.connect(carrier)
    supervisor.receive({ type: 'remote_exec_replay', data: { exec_run_id: 'r', after_seq: 1 } })
    supervisor.receive({ type: 'remote_exec_replay', data: { exec_run_id: 'nobody', after_seq: 0 } })
    await exitOf('r')
    expect(textOf('r')).toBe('two\nthree\n')
    expect(await exitOf('nobody')).toMatchObject({ exit_code: null, error: 'unknown run' })
  })

  it('[D8] are deleted when the receiver has everything', async () => {
    start('g', 'echo x')
    await exitOf('g')
    ack('g', 1, true)
    expect(await readdir(folder)).toEqual([])
  })

  it('[D9] read their input once and in order', async () => {
    start('c', 'cat; echo over', { stdin: true })
    type('c', 1, 'one ')
    type('c', 1, 'one ')
    type('c', 2, 'two\n')
    type('c', 3, '', true)
    await exitOf('c')
    expect(textOf('c')).toBe('one two\nover\n')
    expect(
      said.filter(({ type }) => type === 'remote_exec_input_ack').map(({ data }) => (data as { seq: number }).seq),
    ).toEqual([1, 1, 2, 3])
  })

  it('have a real terminal on request', async () => {
    start('p', 'test -t 1 && stty size; read x; echo "got $x"', { pty: true, cols: 91, rows: 17 })
    await until(() => textOf('p').includes('17 91'))
    supervisor.receive({ type: 'remote_exec_input', data: { exec_run_id: 'p', seq: 1, data: 'Z8O8bgo=' } })
    expect(await exitOf('p')).toMatchObject({ exit_code: 0 })
    expect(textOf('p')).toContain('got gün')
  })

  it('[D10] whose supervisor died send their output and an unknown exit', async () => {
    start('d', 'echo before; sleep 300')
    await until(() => textOf('d') !== '')
    said = []
    // The next process of the supervisor, with the same folder.
    const next = open()
    next.connect(carrier)
    next.receive({ type: 'remote_exec_replay', data: { exec_run_id: 'd', after_seq: 0 } })
    expect(await exitOf('d')).toMatchObject({ exit_code: null, error: expect.stringContaining('stopped') })
    expect(textOf('d')).toBe('before\n')
    next.disconnect()
  })

  it('[D11] are checked by the policy of the machine', () => {
    const git = { command: 'git', args: ['status'] }
    expect(refusalOf({ exec: false, allow: [] }, git)).toContain('--exec')
    expect(refusalOf({ exec: true, allow: [] }, git)).toBeNull()
    for (const prefix of ['git', 'git status', 'git*', 'gi*'])
      expect(refusalOf({ exec: true, allow: [prefix] }, git)).toBeNull()
    for (const prefix of ['gi', 'git stat', 'ls', 'git status -s'])
      expect(refusalOf({ exec: true, allow: [prefix] }, git)).toContain('--allow')
  })

  it('[D12] do not see the key of the daemon', async () => {
    expect(environmentOf({ A: '1', MILLRACE_API_KEY: 'x' }, ['B=2=3', 'A='])).toEqual({ A: '', B: '2=3' })
    start('e', 'env', { env: ['ASKED=for'] })
    await exitOf('e')
    expect(textOf('e')).toContain('ASKED=for')
    expect(textOf('e')).not.toContain('MILLRACE_')
  })
})

it('skips a chunk that a crash cut off', async () => {
  const spool = openSpool(folder)
  spool.append('stdout', Buffer.from('whole'))
  spool.append('stderr', Buffer.from('half'))
  spool.close()
  const { truncate, stat } = await import('node:fs/promises')
  const file = join(folder, 'output.1')
  await truncate(file, (await stat(file)).size - 2)
  const again = openSpool(folder)
  expect(again.lastSeq()).toBe(1)
  expect(again.after(0)).toEqual({ seq: 1, stream: 'stdout', data: Buffer.from('whole') })
  expect(again.after(1)).toBeUndefined()
  again.close()
})

/** A zombie process does not count. */
const isAlive = async (pid: number): Promise<boolean> => {
  const state = await promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return !/^(Z.*)?$/.test(state.stdout.trim())
}
