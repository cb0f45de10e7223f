// Guarantees: an engine that implements only the published protocol works here: it names no attempts, reports any part
// of its machine, and receives orders to drop tasks that are not its own.
import { type EngineToServer, type TaskFrame, toBase64 } from '@millrace/contract/engine-frames'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { finish, givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { dial, type EngineDouble, register, startEngine } from './testing/engine-double.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const output = toBase64('{"ok":true}')
const shown = async (id: string) => (await world.call('owner', `GET /engines/${id}`)).data
const statusIs = (id: string, status: string) => until(async () => (await shown(id)).status === status)

describe('registration', () => {
  it('[S1] requires only a name', async () => {
    const answer = await world.call('owner', 'POST /engines/register', {
      body: { local_engine_state: { name: 'bare' } },
    })
    expect(answer.status).toBe(200)
    expect(answer.data.workers).toHaveLength(2)
    const engine = await shown(answer.data.engine_id)
    expect(engine).toMatchObject({ name: 'bare', engine_version: '' })
    expect(engine.config).toEqual({
      id: answer.data.engine_id,
      name: 'bare',
      api_url: '',
      api_key: '',
      engine_port: '',
      workers: { gpu: [], cpu: { count: 0 } },
      container_mode: false,
      network_name: '',
      cache_path: '',
      gpus: [],
      callback_base_port: 0,
      engine_internal_api_url: '',
    })
  })

  const again = async (id: string, more: object = {}) => {
    const answer = await world.call('owner', 'POST /engines/register', {
      body: { local_engine_state: { id }, ...more },
    })
    expect(answer.data?.engine_id, answer.text).toBe(id)
    return { workers: answer.data.workers.length, engine: await shown(id) }
  }

  it('[S26] a planned layout applies at the next registration and survives later ones', async () => {
    const asked = { cpu: { count: 1 } }
    const { id } = await register(world, { workers: asked })
    const body = { config: { workers: { cpu: { count: 3 } } } }
    expect((await world.call('owner', `POST /engines/${id}`, { body })).data.workers).toHaveLength(1)
    expect(await again(id, { worker_config: asked })).toMatchObject({ workers: 3, engine: { workers: { length: 3 } } })
    expect(await again(id)).toMatchObject({ workers: 3 })
    expect(await again(id, { worker_config: asked })).toMatchObject({
      workers: 3,
      engine: { config: { workers: { cpu: { count: 3 } } } },
    })
    // The machine requests another layout now, because its users changed it there.
    expect(await again(id, { worker_config: { cpu: { count: 2 } } })).toMatchObject({ workers: 2 })
    expect(await again(id)).toMatchObject({ workers: 2 })
  })

  it('[S27] values omitted with a saved id stay, and so does a name set by users', async () => {
    const { id } = await register(world, { name: 'mill', cpuWorkers: 3 })
    const before = await shown(id)
    const { workers, engine } = await again(id)
    expect(workers).toBe(3)
    for (const field of ['name', 'api_url', 'config', 'system_info'])
      expect(engine[field], field).toEqual(before[field])
    await register(world, { id, name: 'other mill' })
    expect((await shown(id)).name).toBe('other mill')
    await world.call('owner', `POST /engines/${id}`, { body: { name: 'Big mill' } })
    await register(world, { id, name: 'other mill' })
    expect((await shown(id)).name).toBe('Big mill')
  })

  it('[S2] stores reports in the shape that clients expect, and unknown fields as sent', async () => {
    const system_info = {
      hostname: 'mill',
      docker: { installed: true, version: '27' },
      wsl2: { enabled: false },
      hf_cache: { cache_dir: '/cache', repos: [] },
      gpus: [{ name: 'NVIDIA A100', memory_total: 80_000, cuda_version: '12.4' }],
      cpus: [{ name: 'one', cores: 8, frequency: 2400 }],
      volumes: null,
      moons: 2,
    }
    const { data } = await world.call('owner', 'POST /engines/register', {
      body: { local_engine_state: {}, system_info, worker_config: { gpu: [{ gpus: [0] }], cpu: { count: 0 } } },
    })
    const cpu = { name: 'one', vendor_id: '', family: '', model: '', cores: 8, frequency: '2400' }
    expect(data.workers).toMatchObject([{ gpus: [{ type: 'nvidia', vram: 80_000 }], cpus: [cpu] }])
    expect((await shown(data.engine_id)).workers).toMatchObject([{ cpus: [cpu] }])
    const ram = { total: 0, available: 0, used: 0, free: 0, usage: 0, total_physical: 0, total_usable: 0 }
    const swap = { bootloader_usage: 0, swap_total: 0, swap_used: 0, swap_free: 0, swap_usage: 0 }
    const gpu = { id: '', index: 0, driver_version: '', memory_used: 0, temperature: 0 }
    expect((await shown(data.engine_id)).system_info).toEqual({
      hostname: 'mill',
      engine_version: '',
      ipv4: '',
      ipv6: '',
      mac_address: '',
      os: '',
      docker: {
        binary_path: '',
        installed: true,
        socket_path: '',
        socket_available: false,
        running: false,
        version: '27',
      },
      wsl2: { installed: false, enabled: false, version: '' },
      hf_cache: { cache_dir: '/cache', repos: [], size_on_disk: 0, warnings: [] },
      gpus: [{ ...gpu, name: 'NVIDIA A100', memory_total: 80_000, cuda_version: '12.4' }],
      cpus: [{ ...cpu, usage: 0, normalized_usage: 0 }],
      ram: { ...ram, ...swap },
      volumes: [],
      moons: 2,
    })
    expect((await shown(data.engine_id)).name).toBe('mill')
  })
})

describe('frames without an attempt', () => {
  it('[S10] refer to the last attempt that was sent', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    await engine.next('task_run')
    engine.send({ type: 'task_rejected', data: { task_id: id, reason: 'engine_draining' } })
    await until(async () => (await taskOf(world, id)).status === 2)
    world.clock.advance(1_000)
    engine.heartbeat()
    await engine.next('task_run')
    const types = ['task_accepted', 'task_preparing', 'task_serving', 'task_setting_up', 'task_running'] as const
    for (const type of types) engine.send({ type, data: { task_id: id } })
    engine.send({ type: 'task_log', data: { task_id: id, log_type: 1, logs: toBase64('said') } })
    engine.send({ type: 'task_progress', data: { task_id: id, output: toBase64('"half"') } })
    engine.send({ type: 'task_progress', data: { task_id: id, output: toBase64('"d"'), is_delta: true, seq: 1 } })
    await until(async () => (await taskOf(world, id)).output === 'half')
    engine.send({ type: 'task_uploading', data: { task_id: id } })
    engine.send({ type: 'task_completed', data: { task_id: id, output } })
    expect((await engine.next('task_ack')).data).toEqual({ task_id: id })
    const task = await taskOf(world, id)
    expect(task).toMatchObject({ status: 10, output: { ok: true } })
    expect(task.events.map(({ status }) => status)).toEqual([1, 2, 3, 2, 3, 4, 5, 6, 7, 9, 10])
    expect(task.logs).toHaveLength(1)
    expect(engine.received.some(({ type }) => type === 'task_force_cancel')).toBe(false)
    expect(
      world.events.filter(({ subject, data }) => subject === `task:${id}` && 'delta' in (data as object)),
    ).toHaveLength(1)
  })
})

it('null in a frame counts as absent', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  const say = (type: string, data: object) =>
    engine.socket.send(JSON.stringify({ type, data: { task_id: id, ...data } }))
  await engine.next('task_run')
  say('task_rejected', { reason: 'engine_draining', busy_with_task: null, attempt: null })
  await until(async () => (await taskOf(world, id)).status === 2)
  world.clock.advance(1_000)
  engine.heartbeat()
  await engine.next('task_run')
  say('task_progress', { output: toBase64('"half"'), is_delta: null, seq: null })
  await until(async () => (await taskOf(world, id)).output === 'half')
  say('task_failed', { error: null })
  await engine.next('task_ack')
  expect((await taskOf(world, id)).error).toBe('The task failed')
})

const kinds: Record<TaskFrame['type'], (task_id: string) => EngineToServer> = {
  task_accepted: (task_id) => ({ type: 'task_accepted', data: { task_id } }),
  task_rejected: (task_id) => ({ type: 'task_rejected', data: { task_id, reason: 'worker_busy' } }),
  task_preparing: (task_id) => ({ type: 'task_preparing', data: { task_id } }),
  task_serving: (task_id) => ({ type: 'task_serving', data: { task_id } }),
  task_setting_up: (task_id) => ({ type: 'task_setting_up', data: { task_id } }),
  task_running: (task_id) => ({ type: 'task_running', data: { task_id } }),
  task_uploading: (task_id) => ({ type: 'task_uploading', data: { task_id } }),
  task_log: (task_id) => ({ type: 'task_log', data: { task_id, log_type: 1, logs: toBase64('x') } }),
  task_progress: (task_id) => ({ type: 'task_progress', data: { task_id, output } }),
  task_completed: (task_id) => ({ type: 'task_completed', data: { task_id, output } }),
  task_failed: (task_id) => ({ type: 'task_failed', data: { task_id } }),
  task_cancelled: (task_id) => ({ type: 'task_cancelled', data: { task_id } }),
  task_cancel_result: (task_id) => ({ type: 'task_cancel_result', data: { task_id, ok: true } }),
}

describe('every kind of frame about a task of another engine is answered by an order to drop it', () => {
  it('[S12] a task of another engine, an ended one, an unknown one', async () => {
    const owner = await startEngine(world, { cloud: true, cpuWorkers: 2 })
    const other = await startEngine(world, { as: 'stranger' })
    const app = await givenApp(world)
    const { id: theirs } = await run(world, app)
    await owner.next('task_run')
    const { id: ended } = await run(world, app)
    await owner.next('task_run')
    await world.call('owner', `POST /tasks/${ended}/cancel`, { body: { force: true } })
    await world.open.platform.db.updateTable('tasks').set({ status: 12 }).where('id', '=', ended).execute()
    for (const [type, frame] of Object.entries(kinds)) {
      for (const [engine, id] of [
        [other, theirs],
        [owner, ended],
        [owner, 'never-was'],
      ] as const) {
        // The server itself recorded the cancellation.
        if (id === ended && type === 'task_cancelled') continue
        // A connection sends the order once per answer to a cancellation, so each kind gets its own task.
        engine.send(frame(frame === kinds.task_cancel_result ? `${id}-x` : id))
        expect((await engine.next('task_force_cancel')).data.task.id).toContain(id)
      }
    }
    other.send({ type: 'task_progress', data: { task_id: theirs, output, is_delta: true, seq: 1 } })
    expect((await other.next('task_force_cancel')).data.task.id).toBe(theirs)
    expect((await taskOf(world, theirs)).status).toBe(3)
  })

  it('the completed task still belongs to the engine: late frames about it are ignored', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    await engine.next('task_run')
    await finish(world, id)
    engine.send(kinds.task_running(id))
    engine.send(kinds.task_completed(id))
    await engine.next('task_ack')
    expect(engine.received.some(({ type }) => type === 'task_force_cancel')).toBe(false)
  })
})

describe('finer states', () => {
  const sent = (engine: EngineDouble, type: string) => engine.received.some((frame) => frame.type === type)

  it('[S15] an engine drains and restarts by itself, and resumes by reporting it', async () => {
    const engine = await startEngine(world)
    for (const state of ['draining', 'restarting'] as const) {
      engine.heartbeat(undefined, state)
      await statusIs(engine.id, state)
      engine.heartbeat(undefined, 'running')
      await statusIs(engine.id, 'running')
    }
    expect(sent(engine, 'engine_drain')).toBe(false)
  })

  it('[S16] a drain requested by a user does not end when the engine reports `running`', async () => {
    const engine = await startEngine(world)
    await run(world, await givenApp(world), { infra: 'private' })
    await engine.next('task_run')
    await world.call('owner', `POST /engines/${engine.id}/drain`)
    await engine.next('engine_drain')
    const before = (await shown(engine.id)).updated_at
    engine.heartbeat({ [engine.workers[0] ?? '']: 'busy' }, 'running')
    engine.heartbeat({ [engine.workers[0] ?? '']: 'busy' }, 'draining')
    engine.heartbeat({ [engine.workers[0] ?? '']: 'busy' }, 'running')
    // Frames are processed in order: after this answer, the heartbeats before it were applied.
    engine.send(kinds.task_running('never-was'))
    await engine.next('task_force_cancel')
    expect(await shown(engine.id)).toMatchObject({ status: 'draining', updated_at: before })
  })

  it('[S17] all four statuses of a worker', async () => {
    const engine = await startEngine(world, { cpuWorkers: 4 })
    const [idle = '', busy = '', reserved = '', inactive = ''] = engine.workers
    world.clock.advance(1_000)
    engine.heartbeat({ [idle]: 'idle', [busy]: 'busy', [reserved]: 'reserved', [inactive]: 'inactive' })
    await until(async () => {
      const { workers } = await shown(engine.id)
      const by = new Map(workers.map((worker: { id: string; status: string }) => [worker.id, worker.status]))
      return [idle, busy, reserved, inactive].map((id) => by.get(id)).join() === 'idle,busy,busy,inactive'
    })
  })

  it('the version comes from telemetry and is empty before it', async () => {
    const engine = await dial(world, await register(world))
    expect(await shown(engine.id)).toMatchObject({ engine_version: '', system_info: { engine_version: '' } })
    engine.send({ type: 'engine_telemetry', data: { system_info: { engine_version: 'v2' }, workers: [] } })
    await until(async () => (await shown(engine.id)).engine_version === 'v2')
    await register(world, { id: engine.id })
    expect((await shown(engine.id)).engine_version).toBe('v2')
  })

  it('empty telemetry changes nothing', async () => {
    const engine = await dial(world, await register(world))
    engine.send({ type: 'engine_telemetry', data: { workers: [] } })
    engine.send({
      type: 'engine_telemetry',
      data: { engine_version: 'v9', workers: [{ id: engine.workers[0] ?? '' }] },
    })
    await until(async () => (await shown(engine.id)).engine_version === 'v9')
    expect((await shown(engine.id)).system_info).toMatchObject({ hostname: 'mill', engine_version: 'v9' })
  })
})
