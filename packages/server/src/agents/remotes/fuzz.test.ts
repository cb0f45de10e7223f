// Guarantees: for any input from a machine, the server survives, keeps its rows consistent and continues to serve that
// machine. The number of frames is small here; `npm run prove -- fuzz-remotes --size large` sends a hundred thousand.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { ended, exec, outputOf, startRemote, textOf } from './testing/remote-double.ts'

const frames = Number(process.env.REMOTE_FUZZ_FRAMES ?? 2_000)

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const types = [
  'remote_heartbeat',
  'remote_exec_output',
  'remote_exec_exit',
  'remote_exec_input_ack',
  'remote_session_opened',
  'remote_session_event',
  'remote_session_closed',
  'remote_sessions_listed',
  'remote_terminal_output',
  'hasOwnProperty',
  '',
]
const values = [
  null,
  0,
  -1,
  1,
  2 ** 53,
  1.5,
  '',
  'x',
  '\u0000',
  '🙂'.repeat(100),
  [],
  {},
  true,
  'YQ==',
  '*',
  'stdout',
  'stderr',
  { a: { b: [] } },
]

it(`${frames} random frames`, async () => {
  const remote = await startRemote(world)
  const run = await exec(world, remote)
  await remote.next('remote_exec_start')
  let seed = 1
  const pick = <T>(list: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return list[seed % list.length] as T
  }
  const names = [
    'exec_run_id',
    'seq',
    'stream',
    'data',
    'exit_code',
    'error',
    'timed_out',
    'duration_ms',
    'status',
    'request_id',
    'sessions',
    'chat_id',
    'harness_session_id',
    'event',
    '__proto__',
  ]
  for (let n = 0; n < frames; n += 1) {
    const data: Record<string, unknown> = {}
    for (let field = 0; field < 5; field += 1) data[pick(names)] = pick(values)
    // Never an exit of the command itself, because its output is checked afterwards.
    if (n % 3 === 0) data.exec_run_id = pick(['nobody', 'x'.repeat(64), 'x'.repeat(65)])
    else delete data.exec_run_id
    const text = JSON.stringify(
      n % 7 === 0 ? pick(values) : { type: pick(types), data: n % 11 === 0 ? pick(values) : data },
    )
    remote.socket.send(n % 13 === 0 ? text.slice(0, text.length / 2) : text)
  }
  remote.print(run, 1, 'still heard')
  remote.exit(run, 0)
  expect(await ended(world, remote, run)).toMatchObject({ status: 'exited', exit_code: 0 })
  expect(textOf(await outputOf(world, remote, run))).toBe('still heard')
  expect((await world.call('member', `GET /remotes/${remote.id}`)).data.status).toBe('running')
}, 600_000)
