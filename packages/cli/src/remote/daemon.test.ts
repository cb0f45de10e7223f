// Guarantees: frames of the supervisor for a broken connection never reach the next one. The server would store a chunk
// that overtook lost ones and acknowledge the gap.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { runDaemon } from './daemon.ts'
import { readLines, writeLine } from './lines.ts'
import { linkTimes } from './server-link.ts'
import { supervisorSocket } from './supervisor-process.ts'

const chunk = (seq: number) => ({
  type: 'remote_exec_output',
  data: { exec_run_id: 'run', seq, stream: 'stdout', data: 'YQ==' },
})
const seqsOf = (frames: readonly unknown[]): number[] =>
  (frames as { type: string; data: { seq: number } }[]).flatMap(({ type, data }) =>
    type === 'remote_exec_output' ? [data.seq] : [],
  )

it('drops frames from before the supervisor received the connection', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-daemon-'))
  // A slow supervisor: its last frames for one connection arrive after the next one has opened.
  let connects = 0
  const supervisor = createServer((socket: Socket) =>
    readLines(socket, (value) => {
      const { type, connection } = value as { type: string; connection: number }
      if (type !== 'keeper_connected') return
      connects += 1
      if (connects === 2) writeLine(socket, chunk(131))
      writeLine(socket, { type: 'keeper_ready', connection })
      writeLine(socket, chunk(connects))
    }),
  ).listen(supervisorSocket(folder))
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await Promise.all([once(supervisor, 'listening'), once(server, 'listening')])
  const heard: unknown[][] = []
  server.on('connection', (socket: WebSocket) => {
    const frames: unknown[] = []
    heard.push(frames)
    socket.on('message', (data) => frames.push(JSON.parse(String(data))))
  })
  const stopping = new AbortController()
  const over = runDaemon({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: {},
    folder,
    cwd: folder,
    policy: { exec: true, allow: [] },
    supervisor: { folder, cwd: folder, command: [], env: {} },
    sessions: { connect: () => {}, receive: () => false, close: () => {} },
    times: { ...linkTimes, firstWaitMs: 1, maxWaitMs: 2 },
    now: () => new Date(),
    say: () => {},
    signal: stopping.signal,
    endsCommands: () => false,
  })
  await expect.poll(() => seqsOf(heard[0] ?? [])).toEqual([1])
  for (const client of server.clients) client.terminate()
  await expect.poll(() => seqsOf(heard[1] ?? []).at(-1)).toBe(2)
  expect(seqsOf(heard[1] ?? [])).toEqual([2])
  stopping.abort()
  await over
  for (const client of server.clients) client.terminate()
  server.close()
  supervisor.close()
  await rm(folder, { recursive: true, force: true })
})
