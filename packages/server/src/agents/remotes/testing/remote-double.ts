// A simulated machine: registers through the API and uses the real socket and protocol. It does only what a test
// instructs.
import { once } from 'node:events'
import type { RemoteToServer, ServerToRemote } from '@millrace/contract/remote-frames'
import WebSocket from 'ws'
import { until } from '../../../testing/until.ts'
import type { As, World } from '../../../testing/world.ts'

let keys = 0
export const freshKey = (): string => {
  keys += 1
  return Buffer.from(`ed25519 public key ${keys}`).toString('base64')
}

export type Registered = { id: string; as: As; team: string; publicKey: string }

export const register = async (
  world: World,
  body: Record<string, unknown> = {},
  as: As = 'member',
): Promise<Registered> => {
  const team = as === 'stranger' ? world.otherTeam.id : world.team.id
  const publicKey = freshKey()
  const answer = await world.call(as, 'POST /remotes', {
    body: { name: 'laptop', public_key: publicKey, exec_enabled: true, agents_enabled: true, ...body },
    team,
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return { id: answer.data.id, as, team, publicKey }
}

type FrameOf<T extends ServerToRemote['type']> = Extract<ServerToRemote, { type: T }>

export type RemoteDouble = Registered & {
  received: ServerToRemote[]
  socket: WebSocket
  send(frame: RemoteToServer | object): void
  next<T extends ServerToRemote['type']>(type: T): Promise<FrameOf<T>>
  print(runId: string, seq: number, text: string | Buffer, stream?: 'stdout' | 'stderr'): void
  exit(runId: string, code: number | null, more?: object): void
  closed: Promise<{ code: number; reason: string }>
  drop(): Promise<void>
}

export const dial = async (world: World, remote: Registered, at?: string): Promise<RemoteDouble> => {
  const origin = at ?? (await world.listen())
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/remotes/${remote.id}`, {
    headers: { authorization: `Bearer ${await world.token(remote.as)}`, 'x-team-id': remote.team },
  })
  const received: ServerToRemote[] = []
  const untaken: ServerToRemote[] = []
  const waiting = new Set<() => void>()
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as ServerToRemote
    received.push(frame)
    untaken.push(frame)
    for (const wake of [...waiting]) wake()
  })
  await once(socket, 'open')
  const next: RemoteDouble['next'] = async (type) => {
    for (;;) {
      const index = untaken.findIndex((frame) => frame.type === type)
      if (index >= 0) return untaken.splice(index, 1)[0] as never
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          resolve()
        }
        waiting.add(wake)
      })
    }
  }
  const send: RemoteDouble['send'] = (frame) => socket.send(JSON.stringify(frame))
  return {
    ...remote,
    received,
    socket,
    send,
    next,
    closed,
    print: (exec_run_id, seq, text, stream = 'stdout') =>
      send({
        type: 'remote_exec_output',
        data: { exec_run_id, seq, stream, data: Buffer.from(text).toString('base64') },
      }),
    exit: (exec_run_id, exit_code, more = {}) =>
      send({
        type: 'remote_exec_exit',
        data: { exec_run_id, exit_code, timed_out: false, duration_ms: 5, ...more },
      }),
    drop: async () => {
      socket.terminate()
      await closed
    },
  }
}

export const remoteRow = (world: World, id: string) =>
  world.open.platform.db.selectFrom('remotes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Registered and connected. */
export const startRemote = async (world: World, body: Record<string, unknown> = {}, as: As = 'member') => {
  const remote = await dial(world, await register(world, body, as))
  await until(async () => (await remoteRow(world, remote.id)).connected)
  return remote
}

export const exec = async (world: World, remote: Registered, body: object = { command: 'true' }): Promise<string> => {
  const answer = await world.call(remote.as, `POST /remotes/${remote.id}/execs`, { body, team: remote.team })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data.id
}

export const runOf = async (world: World, remote: Registered, id: string) =>
  (await world.call(remote.as, `GET /execs/${id}`, { team: remote.team })).data

export const outputOf = async (world: World, remote: Registered, id: string, query: Record<string, string> = {}) =>
  (await world.call(remote.as, `GET /execs/${id}/output`, { team: remote.team, query })).data as {
    seq: number
    stream: string
    data: string
    offset: number
  }[]

export const textOf = (chunks: readonly { data: string }[]): string =>
  Buffer.concat(chunks.map(({ data }) => Buffer.from(data, 'base64'))).toString()

export const ended = (world: World, remote: Registered, id: string) =>
  until(async () => {
    const run = await runOf(world, remote, id)
    return ['exited', 'killed', 'denied'].includes(run.status) && run
  })

export { until }
