// Guarantees: the server's half of docs/protocol/remote.md, rule by rule, against a simulated machine that does only
// what the test instructs; and that every rule of the page has a test.
import { readdir, readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { sweep } from './presence.ts'
import {
  dial,
  ended,
  exec,
  outputOf,
  type Registered,
  type RemoteDouble,
  register,
  remoteRow,
  runOf,
  startRemote,
  textOf,
  until,
} from './testing/remote-double.ts'

let world: World
const longAgo = new Date(0)
const look = () => sweep(world.ctx(), longAgo)

beforeAll(async () => {
  world = await createWorld({ settings: { EXEC_OUTPUT_MB: '1' } })
})
afterAll(() => world.close())

const statusOf = async (remote: Registered) => (await remoteRow(world, remote.id)).status
const back = async (remote: Registered): Promise<RemoteDouble> => {
  const again = await dial(world, remote)
  await until(async () => (await remoteRow(world, remote.id)).connected)
  return again
}
const acked = async (remote: RemoteDouble, seq: number) => {
  while ((await remote.next('remote_exec_ack')).data.seq < seq);
}

it('the rules of the page and the rules named by tests are the same', async () => {
  const page = await readFile(new URL('../../../../../docs/protocol/remote.md', import.meta.url), 'utf8')
  const written = [...page.matchAll(/^- [*]{2}(S[0-9]+)[*]{2}/gm)].map((match) => String(match[1]))
  const folder = new URL('./', import.meta.url)
  const tested: string[] = []
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.test.ts')))
    for (const match of (await readFile(new URL(file, folder), 'utf8')).matchAll(/\[(S[0-9]+)\]/g))
      tested.push(String(match[1]))
  expect(tested.sort()).toEqual(written.sort())
})

describe('connection', () => {
  it('[S1] is accepted only from its owner', async () => {
    const remote = await register(world)
    await expect(dial(world, { ...remote, as: 'stranger', team: world.otherTeam.id })).rejects.toThrow('404')
    await expect(dial(world, { ...remote, as: 'owner' })).rejects.toThrow('404')
    await expect(dial(world, { ...remote, as: 'admin' })).rejects.toThrow('404')
    await expect(dial(world, { ...remote, as: 'member-key:remotes:read' })).rejects.toThrow('403')
    await expect(dial(world, { ...remote, as: { token: 'none' } })).rejects.toThrow('401')
  })

  it('[S2] a second one replaces the first', async () => {
    const first = await startRemote(world)
    const second = await dial(world, first)
    expect((await first.closed).code).toBe(4000)
    await until(async () => (await remoteRow(world, first.id)).connection_number === 2)
    expect(await remoteRow(world, first.id)).toMatchObject({ connected: true, status: 'running' })
    await second.drop()
  })

  it('[S3] a closed connection means absent at once, a silent one after 45 s', async () => {
    const dropped = await startRemote(world)
    await dropped.drop()
    await until(async () => (await statusOf(dropped)) === 'disconnected')
    const silent = await startRemote(world)
    world.clock.advance(44_000)
    await look()
    expect(await statusOf(silent)).toBe('running')
    world.clock.advance(2_000)
    await look()
    expect(await statusOf(silent)).toBe('disconnected')
    silent.send({ type: 'remote_heartbeat', data: { status: 'running' } })
    await until(async () => (await statusOf(silent)) === 'running')
    await silent.drop()
  })

  it('[S4] a remote absent for ten minutes is lost until it connects', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    await remote.drop()
    await until(async () => (await statusOf(remote)) === 'disconnected')
    world.clock.advance(9 * 60_000)
    await look()
    expect(await runOf(world, remote, run)).toMatchObject({ status: 'running' })
    world.clock.advance(61_000)
    await look()
    expect(await statusOf(remote)).toBe('stopped')
    expect(await runOf(world, remote, run)).toMatchObject({ status: 'killed', error: 'remote_lost', exit_code: null })
    const again = await back(remote)
    expect(await statusOf(remote)).toBe('running')
    await again.drop()
  })

  it('[S5] deletion closes it; its commands are readable', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    remote.print(run, 1, 'last words')
    await acked(remote, 1)
    await world.call('member', `DELETE /remotes/${remote.id}`)
    expect((await remote.closed).code).toBe(1008)
    expect(await runOf(world, remote, run)).toMatchObject({ status: 'killed', error: 'remote_lost' })
    expect(textOf(await outputOf(world, remote, run))).toBe('last words')
  })

  it('[S6] an invalid frame is ignored; an oversized one closes the connection', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    for (const text of [
      '',
      '{',
      'null',
      '[]',
      '{"type":"remote_exec_output"}',
      '{"type":"remote_terminal_output","data":{}}',
    ])
      remote.socket.send(text)
    remote.send({ type: 'remote_exec_output', data: { exec_run_id: run, seq: 0, stream: 'stdout', data: '' } })
    remote.send({ type: 'remote_exec_output', data: { exec_run_id: run, seq: 1, stream: 'stdout', data: '***' } })
    const tooLong = Buffer.alloc(64 * 1024 + 1).toString('base64')
    remote.send({ type: 'remote_exec_output', data: { exec_run_id: run, seq: 1, stream: 'stdout', data: tooLong } })
    remote.print(run, 1, 'heard')
    await acked(remote, 1)
    expect(textOf(await outputOf(world, remote, run))).toBe('heard')
    remote.socket.send('x'.repeat(1024 * 1024 + 1))
    expect((await remote.closed).code).toBe(1009)
  })

  it('[S7] a burst waits in the machine’s own connection', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    const block = Buffer.alloc(64 * 1024, 'x')
    for (let seq = 1; seq <= 400; seq += 1) remote.print(run, seq, block)
    expect(remote.socket.bufferedAmount).toBeGreaterThan(0)
    await acked(remote, 400)
    expect(await runOf(world, remote, run)).toMatchObject({ last_seq: 400, output_bytes: 400 * 64 * 1024 })
    await remote.drop()
  })
})

describe('commands', () => {
  it('[S8] are sent once; unsent ones are denied when the socket closes', async () => {
    const remote = await startRemote(world)
    const sent = await exec(world, remote)
    await remote.next('remote_exec_start')
    // A command whose bus event is lost.
    const publish = world.open.platform.bus.publish
    world.open.platform.bus.publish = () => {}
    const unsent = await exec(world, remote)
    world.open.platform.bus.publish = publish
    await remote.drop()
    expect(await ended(world, remote, unsent)).toMatchObject({ status: 'denied', started_at: null })
    const again = await back(remote)
    expect((await again.next('remote_exec_replay')).data).toEqual({ exec_run_id: sent, after_seq: 0 })
    expect(again.received.some(({ type }) => type === 'remote_exec_start')).toBe(false)
    await again.drop()
  })

  it('a command whose event was lost is sent anyway while its machine is connected', async () => {
    const remote = await startRemote(world)
    const publish = world.open.platform.bus.publish
    world.open.platform.bus.publish = () => {}
    const run = await exec(world, remote)
    world.open.platform.bus.publish = publish
    world.clock.advance(3_000)
    await look()
    expect((await remote.next('remote_exec_start')).data.exec_run_id).toBe(run)
    await remote.drop()
  })

  it('[S9] are requested again from the position that the server has', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    remote.print(run, 1, 'a')
    remote.print(run, 2, 'b')
    await acked(remote, 2)
    await remote.drop()
    const again = await back(remote)
    expect((await again.next('remote_exec_replay')).data).toEqual({ exec_run_id: run, after_seq: 2 })
    again.print(run, 3, 'c')
    again.exit(run, 0)
    expect(await ended(world, remote, run)).toMatchObject({ status: 'exited', exit_code: 0, last_seq: 3 })
    expect(textOf(await outputOf(world, remote, run))).toBe('abc')
    await again.drop()
  })

  it('[S10] a chunk is stored once, the first version counts, and the order is by number', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    remote.print(run, 3, 'third')
    remote.print(run, 1, 'first ')
    remote.print(run, 1, 'another')
    remote.print(run, 2, 'second ')
    remote.print(run, 3, 'again')
    remote.exit(run, 0)
    await ended(world, remote, run)
    expect(textOf(await outputOf(world, remote, run))).toBe('first second third')
    expect(await runOf(world, remote, run)).toMatchObject({ last_seq: 3, output_bytes: 18 })
    await remote.drop()
  })

  it('[S11] every frame is acknowledged, also for unknown commands', async () => {
    const remote = await startRemote(world)
    const other = await startRemote(world, {}, 'stranger')
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    other.print(run, 1, 'not mine')
    expect((await other.next('remote_exec_ack')).data).toEqual({ exec_run_id: run, seq: 1, exited: true })
    other.exit(run, 0)
    expect((await other.next('remote_exec_ack')).data).toMatchObject({ exec_run_id: run, exited: true })
    remote.exit(run, 4)
    expect((await remote.next('remote_exec_ack')).data).toEqual({ exec_run_id: run, seq: 0, exited: true })
    remote.exit(run, 5)
    expect((await remote.next('remote_exec_ack')).data).toMatchObject({ exited: true })
    expect(await runOf(world, remote, run)).toMatchObject({ status: 'exited', exit_code: 4, last_seq: 0 })
    await Promise.all([remote.drop(), other.drop()])
  })

  it.each([
    ['no code', null, {}, 'killed'],
    ['a code', 0, {}, 'exited'],
    ['a code after a timeout', 0, { timed_out: true }, 'killed'],
    ['a refusal', null, { error: 'refused by the remote' }, 'killed'],
  ])('[S12] %s', async (_claim, code, more, status) => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    remote.exit(run, code, more)
    remote.print(run, 1, 'too late')
    const end = await ended(world, remote, run)
    expect(end).toMatchObject({ status, exit_code: status === 'exited' ? code : null, duration_ms: 5, ...more })
    await remote.next('remote_exec_ack')
    await remote.next('remote_exec_ack')
    expect(await outputOf(world, remote, run)).toEqual([])
    await remote.drop()
  })

  it('[S13] a command that was given up is ended where it still runs', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    await world.open.platform.db.updateTable('exec_runs').set({ status: 'killed' }).where('id', '=', run).execute()
    remote.print(run, 1, 'still here')
    expect((await remote.next('remote_exec_signal')).data.exec_run_id).toBe(run)
    await remote.drop()
  })

  it('[S14] a signal waits for the machine', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    await remote.drop()
    expect((await world.call('member', `POST /execs/${run}/signal`)).data).toEqual({ ok: true })
    const again = await back(remote)
    expect((await again.next('remote_exec_signal')).data).toEqual({ exec_run_id: run, signal: 'SIGKILL' })
    again.exit(run, 0)
    expect(await ended(world, remote, run)).toMatchObject({ status: 'killed', exit_code: null })
    await again.drop()
  })

  it('[S15] of too much output the beginning and the end are retained', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote)
    await remote.next('remote_exec_start')
    const size = 64 * 1024
    for (let seq = 1; seq <= 100; seq += 1) remote.print(run, seq, Buffer.alloc(size, seq))
    remote.exit(run, 0)
    const end = await ended(world, remote, run)
    expect(end.error).toMatch(/^\d+ bytes of output were discarded: those of chunks 13 to \d+$/)
    const kept: { seq: number; offset: number; data: string }[] = []
    for (let more = await outputOf(world, remote, run); more.length > 0; ) {
      kept.push(...more)
      more = await outputOf(world, remote, run, { after_seq: String(more.at(-1)?.seq) })
    }
    expect(kept.slice(0, 12).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(kept.at(-1)?.seq).toBe(100)
    expect(kept.length).toBeLessThanOrEqual(16)
    for (const chunk of kept) expect(chunk.offset).toBe((chunk.seq - 1) * size)
    expect(end.dropped_bytes).toBe((100 - kept.length) * size)
    expect(end.output_bytes).toBe(100 * size)
    await remote.drop()
  })

  it('[S16] input is sent until it is acknowledged', async () => {
    const remote = await startRemote(world)
    const run = await exec(world, remote, { command: 'cat', stdin: true })
    await remote.next('remote_exec_start')
    for (const data of ['YQ==', 'Yg==']) await world.call('member', `POST /execs/${run}/input`, { body: { data } })
    expect((await remote.next('remote_exec_input')).data).toEqual({ exec_run_id: run, seq: 1, data: 'YQ==' })
    remote.send({ type: 'remote_exec_input_ack', data: { exec_run_id: run, seq: 1 } })
    await until(async () => {
      const row = await world.open.platform.db
        .selectFrom('exec_inputs')
        .select('seq')
        .where('exec_run_id', '=', run)
        .execute()
      return row.length === 1
    })
    await remote.drop()
    const again = await back(remote)
    expect((await again.next('remote_exec_input')).data).toEqual({ exec_run_id: run, seq: 2, data: 'Yg==' })
    await again.drop()
  })
})
