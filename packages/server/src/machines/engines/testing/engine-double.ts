// An engine on another machine: registers through the API, opens the real socket and exchanges real frames. It acts
// only on calls of the test.
import { once } from 'node:events'
import {
  type EngineToServer,
  type RegisterRequest,
  type ServerToEngine,
  type SystemInfo,
  type TaskRun,
  toBase64,
  type WorkerStatus,
} from '@millrace/contract/engine-frames'
import WebSocket from 'ws'
import { until } from '../../../testing/until.ts'
import type { As, World } from '../../../testing/world.ts'

export const systemInfo: SystemInfo = {
  hostname: 'mill',
  engine_version: 'v0.1.0',
  ipv4: '192.0.2.1',
  ipv6: '',
  mac_address: '',
  os: 'linux',
  docker: { installed: false },
  wsl2: { enabled: false },
  cpus: [{ name: 'cpu', vendor_id: 'v', family: 'f', model: 'm', cores: 4, frequency: '2000' }],
  ram: { total: 8_000_000_000 },
  volumes: [],
  hf_cache: { repos: [] },
  gpus: [],
}

export type EngineOptions = {
  as?: As
  /** Registers in the platform's workspace, so that the engine serves all workspaces. */
  cloud?: boolean
  id?: string
  name?: string
  cpuWorkers?: number
  gpus?: SystemInfo['gpus']
  workers?: RegisterRequest['worker_config']
  publicKey?: string
}

export const registration = (options: EngineOptions = {}): RegisterRequest => ({
  local_engine_state: {
    id: options.id ?? '',
    name: options.name ?? 'double',
    config: {},
    ...(options.publicKey && { public_key: options.publicKey }),
  },
  api_url: 'http://127.0.0.1',
  system_info: { ...systemInfo, gpus: options.gpus ?? [] },
  worker_config: options.workers ?? { cpu: { count: options.cpuWorkers ?? 1 } },
})

const platformTeam = async (world: World): Promise<string> =>
  (
    await world.open.platform.db
      .selectFrom('teams')
      .select('id')
      .where('is_platform', '=', true)
      .executeTakeFirstOrThrow()
  ).id

export type Registered = { id: string; workers: string[]; as: As; team: string }

export const register = async (world: World, options: EngineOptions = {}): Promise<Registered> => {
  const as = options.cloud ? 'platform' : (options.as ?? 'owner')
  const team = options.cloud ? await platformTeam(world) : as === 'stranger' ? world.otherTeam.id : world.team.id
  const answer = await world.call(as, 'POST /engines/register', { body: registration(options), team })
  if (answer.status !== 200) throw new Error(answer.text)
  return { id: answer.data.engine_id, workers: answer.data.workers.map((w: { id: string }) => w.id), as, team }
}

type FrameOf<T extends ServerToEngine['type']> = Extract<ServerToEngine, { type: T }>

export type EngineDouble = Registered & {
  received: ServerToEngine[]
  socket: WebSocket
  send(frame: EngineToServer): void
  /** The first frame of this type that no earlier call has returned. */
  next<T extends ServerToEngine['type']>(type: T): Promise<FrameOf<T>>
  heartbeat(
    statuses?: Record<string, WorkerStatus>,
    engineStatus?: 'running' | 'draining' | 'restarting' | 'stopping',
  ): void
  closed: Promise<{ code: number; reason: string }>
  /** Breaks the connection and waits until the server has noticed, so that later tasks go elsewhere. */
  drop(): Promise<void>
}

export const dial = async (world: World, engine: Registered, at?: string): Promise<EngineDouble> => {
  const origin = at ?? (await world.listen())
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/engines/${engine.id}`, {
    headers: { authorization: `Bearer ${await world.token(engine.as)}`, 'x-team-id': engine.team },
  })
  const received: ServerToEngine[] = []
  const untaken: ServerToEngine[] = []
  const waiting = new Set<() => void>()
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  socket.on('message', (data) => {
    const frame = JSON.parse(data.toString()) as ServerToEngine
    received.push(frame)
    untaken.push(frame)
    for (const wake of waiting) wake()
  })
  await once(socket, 'open')
  const next: EngineDouble['next'] = async (type) => {
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
  const send = (frame: EngineToServer): void => socket.send(JSON.stringify(frame))
  return {
    ...engine,
    received,
    socket,
    send,
    next,
    closed,
    heartbeat: (statuses, engineStatus = 'running') =>
      send({
        type: 'engine_heartbeat',
        data: {
          engine_id: engine.id,
          engine_status: engineStatus,
          worker_statuses: statuses ?? Object.fromEntries(engine.workers.map((id) => [id, 'idle'])),
        },
      }),
    drop: async () => {
      socket.terminate()
      await until(async () => {
        const query = world.open.platform.db.selectFrom('engines').select('connected').where('id', '=', engine.id)
        return !(await query.executeTakeFirst())?.connected
      })
    },
  }
}

/** Registered and connected. */
export const startEngine = async (world: World, options: EngineOptions = {}): Promise<EngineDouble> => {
  const engine = await dial(world, await register(world, options))
  await until(async () => {
    const query = world.open.platform.db.selectFrom('engines').select('status').where('id', '=', engine.id)
    return (await query.executeTakeFirst())?.status === 'running'
  })
  return engine
}

/** The id and attempt for a frame about a task. */
export const about = ({ data: { task } }: TaskRun) => ({ task_id: task.id, attempt: task.attempt ?? 0 })

/** Receives the next run and completes it with this output. */
export const serveOne = async (engine: EngineDouble, output: unknown = { ok: true }): Promise<TaskRun> => {
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  engine.send({ type: 'task_running', data: about(frame) })
  engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64(JSON.stringify(output)) } })
  await engine.next('task_ack')
  return frame
}
