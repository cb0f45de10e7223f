// Guarantees: a stopping server hands over its sockets without losing frames. Frames that an engine or remote sent
// before it noticed the stop are stored, and the machine continues with another server. A live socket ends with a close
// code, and each end has all frames of the other.
import { fromBase64, toBase64 } from '@millrace/contract/engine-frames'
import { afterAll, beforeEach, expect, it } from 'vitest'
import type { WebSocket } from 'ws'
import {
  dial as dialRemote,
  exec,
  outputOf,
  register,
  remoteRow,
  textOf,
} from '#agents/remotes/testing/remote-double.ts'
import { type LiveEnd, openEnd } from '#execution/sockets/testing/live.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { about, dial as dialEngine, register as registerEngine } from '#machines/engines/testing/engine-double.ts'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { until } from '../../testing/until.ts'
import type { World } from '../../testing/world.ts'
import { createFleetWorld } from './testing/fleet-world.ts'

let world: World
let going: Replica

beforeEach(async () => {
  world ??= await createFleetWorld()
  going = await openReplica(world)
  for (const { open, listen } of [world, going])
    await world.open.platform.db
      .updateTable('servers')
      .set({ address: await listen() })
      .where('id', '=', open.platform.server.id)
      .execute()
})
afterAll(() => world?.close())

/** Sends frames while the socket is open, and stops the server after some of them. */
const talkWhileItStops = async (
  ends: readonly { socket: WebSocket; say(number: number): void }[],
): Promise<number[]> => {
  const talks = ends.map(async ({ socket, say }) => {
    let said = 0
    for (; socket.readyState === socket.OPEN; said += 1) {
      say(said)
      await new Promise(setImmediate)
    }
    return said
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  await going.close()
  return Promise.all(talks)
}

const numbers = (count: number): string[] => Array.from({ length: count }, (_, number) => String(number))

it('an engine', async () => {
  const registered = await registerEngine(world, { cloud: true })
  const engine = await dialEngine(world, registered, await going.listen())
  await until(async () => engine.socket.readyState === engine.socket.OPEN)
  const task = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  engine.send({ type: 'task_running', data: about(frame) })
  const say = (number: number): void =>
    engine.send({ type: 'task_log', data: { ...about(frame), log_type: 1, logs: toBase64(`${number}\n`) } })
  const [said = 0] = await talkWhileItStops([{ socket: engine.socket, say }])
  expect((await engine.closed).code).toBe(1012)
  const { data } = await world.call('owner', `GET /tasks/${task.id}/logs`)
  const text = data.logs.map(({ content }: { content: string }) => fromBase64(content)).join('')
  expect(text.trim().split('\n')).toEqual(numbers(said))

  const again = await dialEngine(world, registered)
  again.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('"whole"') } })
  await again.next('task_ack')
  expect((await world.call('owner', `GET /tasks/${task.id}`)).data).toMatchObject({ status: 10, output: 'whole' })
  await again.drop()
})

it('a remote', async () => {
  const registered = await register(world, {}, 'owner')
  const remote = await dialRemote(world, registered, await going.listen())
  await until(async () => (await remoteRow(world, remote.id)).connected)
  const id = await exec(world, remote, { command: 'count' })
  await remote.next('remote_exec_start')
  const say = (number: number): void => remote.print(id, number + 1, `${number}\n`)
  const [said = 0] = await talkWhileItStops([{ socket: remote.socket, say }])
  expect((await remote.closed).code).toBe(1012)
  const got: string[] = []
  for (let after = 0; got.length < said; after = got.length)
    got.push(
      ...textOf(await outputOf(world, remote, id, { after_seq: String(after) }))
        .trim()
        .split('\n'),
    )
  expect(got).toEqual(numbers(said))
})

it.each([
  ['met at the stopping server', 'client'],
  ['met at the other server', 'worker'],
] as const)('both ends of a live socket that %s', async (_claim, first) => {
  const engine = await dialEngine(world, await registerEngine(world, { cloud: true }))
  const app = await givenApp(world, {
    repository: 'https://bundles.example.com/live.zip',
    kernel: 'node-22',
    functions: { run: { kind: 'stream', input_schema: { type: 'object' } } },
  })
  const task = await run(world, app)
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  const at = async (server: { listen(): Promise<string> }, end: { url: string; token: string } | null | undefined) =>
    openEnd(
      `${(await server.listen()).replace('http', 'ws')}${new URL(end?.url ?? '').pathname}?access_token=${end?.token}`,
    )
  const open = { client: () => at(going, task.socket), worker: () => at(world, frame.data.socket) }
  const ends: Partial<Record<'client' | 'worker', LiveEnd>> = {}
  for (const role of first === 'client' ? (['client', 'worker'] as const) : (['worker', 'client'] as const)) {
    ends[role] = await open[role]()
    // The end that connects first decides where they meet.
    await until(async () => (await socketRow(task.socket?.id)).server_id)
  }
  const { client, worker } = ends
  if (!client || !worker) throw new Error('The ends did not connect')
  await until(async () => (await socketRow(task.socket?.id)).status === 'open')
  await talkWhileItStops(
    [client, worker].map(({ socket }) => ({ socket, say: (number) => socket.send(String(number)) })),
  )
  expect([(await client.closed).code, (await worker.closed).code]).toEqual([1012, 1012])
  const row = await until(async () => {
    const found = await socketRow(task.socket?.id)
    return found.status === 'closed' && found
  })
  expect(row).toMatchObject({ outcome: 'drained' })
  expect(client.received).toEqual(numbers(row.worker_frames))
  expect(worker.received).toEqual(numbers(row.client_frames))
  await engine.drop()
})

const socketRow = (id: string | undefined) =>
  world.open.platform.db
    .selectFrom('live_sockets')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirstOrThrow()
