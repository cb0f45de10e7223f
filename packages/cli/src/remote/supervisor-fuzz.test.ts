// Guarantees: no frame of the server stops the supervisor or its commands. Small here; `npm run prove -- fuzz-remotes
// --size large` sends a hundred thousand frames.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runSupervisor, supervisorSocket } from './supervisor-process.ts'

const frames = Number(process.env.REMOTE_FUZZ_FRAMES ?? 5_000)

const types = [
  'remote_exec_start',
  'remote_exec_signal',
  'remote_exec_replay',
  'remote_exec_ack',
  'remote_exec_input',
  'remote_exec_resize',
  'remote_sessions_list',
  'remote_session_open',
  'keeper_odd',
  '',
]
const names = [
  'exec_run_id',
  'command',
  'args',
  'cwd',
  'env',
  'pty',
  'timeout_ms',
  'signal',
  'after_seq',
  'seq',
  'exited',
  'data',
  'cols',
  'rows',
]
const values = [null, 0, -1, 7, 2 ** 53, 1.5, '', 'no-such-run', '\u0000', [], {}, true, 'YQ==', ['a'], { a: 1 }]

it(`${frames} frames of any kind`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-fuzz-'))
  const over = runSupervisor(folder, { PATH: process.env.PATH })
  await expect.poll(() => existsSync(supervisorSocket(folder))).toBe(true)
  const socket = connect(supervisorSocket(folder))
  await once(socket, 'connect')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  const say = async (text: string): Promise<void> => {
    if (!socket.write(`${text}\n`)) await once(socket, 'drain')
  }
  let seed = 7
  const pick = <T>(list: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return list[seed % list.length] as T
  }
  await say('{"type":"keeper_connected"}')
  for (let n = 0; n < frames; n += 1) {
    const data = Object.fromEntries(Array.from({ length: 6 }, () => [pick(names), pick(values)]))
    const text = JSON.stringify({ type: pick(types), data })
    await say(n % 13 === 0 ? text.slice(0, text.length / 2) : text)
  }
  const start = { exec_run_id: 'real', command: 'echo', args: ['alive'], cwd: '/', env: [], pty: false, timeout_ms: 0 }
  await say(JSON.stringify({ type: 'remote_exec_start', data: start }))
  await expect.poll(() => /"exec_run_id":"real","exit_code":0/.test(heard), { timeout: 60_000 }).toBe(true)
  expect(heard).toContain(Buffer.from('alive\n').toString('base64'))
  await say('{"type":"keeper_end"}')
  await over
  await rm(folder, { recursive: true, force: true })
}, 600_000)
