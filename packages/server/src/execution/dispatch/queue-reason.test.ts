// Guarantees: a queued run names the first requirement that no connected engine meets, or how many runs are before it,
// and the reader of its stream receives the reason again when it changes.
import type { QueueReason } from '@millrace/contract/tasks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import type { ResourceEvent } from '#platform/bus/resource-stream.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { withQueueReasons } from '../tasks/queue-reasons.ts'
import { givenApp, run } from '../tasks/testing/given.ts'
import { type OfferedWorkers, queueReasonOf } from './queue-reason.ts'

describe('the reason', () => {
  const needs = { gpu_count: 0, gpu_type: '', gpu_vram: 0, ram: 0 }
  const cpu: OfferedWorkers = {
    gpu_count: 0,
    gpu_type: 'none',
    gpu_vram: 0,
    ram: 32e9,
    workers: 2,
    busy: 0,
    gpu_room: 0,
  }
  const gpu = (change: Partial<OfferedWorkers> = {}): OfferedWorkers => ({
    ...{ gpu_count: 1, gpu_type: 'nvidia', gpu_vram: 24e9, ram: 32e9, workers: 1, busy: 0, gpu_room: 24e9 },
    ...change,
  })
  const card = { ...needs, gpu_count: 1 }
  it.each<[string, typeof needs, OfferedWorkers[], number, string | null]>([
    ['an idle worker', needs, [cpu], 0, null],
    ['room on the GPU', { ...card, gpu_vram: 16e9 }, [gpu({ gpu_room: 16e9 })], 0, null],
    [
      'too little room on the GPU',
      { ...card, gpu_vram: 16e9 },
      [gpu({ gpu_room: 8e9 })],
      0,
      'the app needs 16 GB of GPU memory, and other runs leave 8 GB of 24 GB',
    ],
    [
      'too little room for an app that declares nothing',
      card,
      [gpu({ gpu_room: 8e9 })],
      0,
      'the app needs 24 GB of GPU memory, and other runs leave 8 GB of 24 GB',
    ],
    ['no GPU', card, [cpu], 0, 'no connected engine has a GPU'],
    [
      'no GPU of that type',
      { ...card, gpu_type: 'amd' },
      [cpu, gpu()],
      0,
      'no connected engine has a GPU of type amd, only nvidia',
    ],
    [
      'too few GPUs',
      { ...card, gpu_count: 4 },
      [gpu(), gpu({ gpu_count: 2 })],
      0,
      'the app needs 4 GPUs in one worker, and the largest worker has 2',
    ],
    [
      'GPU memory too small',
      { ...card, gpu_vram: 40e9 },
      [gpu({ gpu_vram: 8e9 }), gpu()],
      0,
      'the app needs a GPU with 40 GB, and the largest has 24 GB',
    ],
    [
      'memory too small',
      { ...needs, ram: 64e9 },
      [cpu],
      0,
      'the app needs 64 GB of memory, and the largest engine has 32 GB',
    ],
    [
      'requirements that only different workers meet',
      { ...card, ram: 64e9 },
      [{ ...cpu, ram: 128e9 }, gpu()],
      0,
      'no connected engine has a worker with 1 GPU and 59.6 GiB of memory',
    ],
    [
      'the only worker is busy',
      card,
      [cpu, gpu({ busy: 1 })],
      0,
      'the only worker that can run the app is busy; this run is next',
    ],
    [
      'all workers are busy',
      needs,
      [{ ...cpu, busy: 2 }, gpu({ busy: 1 })],
      3,
      'all 3 workers that can run the app are busy; 3 runs ahead of this one',
    ],
  ])('%s', (_claim, needed, offers, ahead, message) => {
    expect(queueReasonOf(needed, offers, ahead)?.message ?? null).toBe(message)
  })
})

describe('the stream', () => {
  it('emits each new reason once, and none after the task has started', async () => {
    const status = Promise.withResolvers<ResourceEvent>()
    const busy = (ahead: number): QueueReason => ({ code: 'busy', message: `${ahead} ahead` })
    const reasons = [busy(2), busy(2), busy(1), null]
    async function* events(): AsyncGenerator<ResourceEvent> {
      yield { type: 'update', id: 4, data: { id: 't', status: 2 } }
      yield await status.promise
    }
    const read = async () => {
      if (reasons.length === 1)
        status.resolve({ type: 'update', id: 5, data: { id: 't', status: 7 }, fields: ['status'] })
      return reasons.length > 1 ? (reasons.shift() ?? null) : null
    }
    const signal = new AbortController().signal
    const seen: unknown[] = []
    for await (const event of withQueueReasons(events, { taskId: 't', read, signal, times: { firstMs: 1, maxMs: 1 } }))
      seen.push('queue_reason' in event.data ? event.data.queue_reason : event)
    expect(seen.slice(0, 3)).toEqual([expect.objectContaining({ id: 4 }), busy(2), busy(1)])
    expect(seen.at(-1)).toMatchObject({ id: 5 })
  })

  it('ends with its reader', async () => {
    const closed = Promise.withResolvers<void>()
    async function* events(signal: AbortSignal): AsyncGenerator<ResourceEvent> {
      signal.addEventListener('abort', () => closed.resolve())
      yield { type: 'update', id: 1, data: { status: 2 } }
      await closed.promise
    }
    const signal = new AbortController().signal
    const read = async (): Promise<QueueReason> => ({ code: 'busy', message: 'all busy' })
    for await (const event of withQueueReasons(events, { taskId: 't', read, signal, times: { firstMs: 1, maxMs: 1 } }))
      if ('queue_reason' in event.data) break
    await closed.promise
  })
})

describe('a queued run', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  const reasonOf = async (id: string) => (await world.call('owner', `GET /tasks/${id}`)).data.queue_reason

  it('shows its reason when it is read, and counts the runs before it', async () => {
    const app = await givenApp(world)
    const first = await run(world, app)
    expect(await reasonOf(first.id)).toMatchObject({ code: 'no_engine' })
    const engine = await startEngine(world, { cloud: true, cpuWorkers: 1 })
    const { data } = await engine.next('task_run')
    expect(data.task.id).toBe(first.id)
    const queued = [await run(world, app), await run(world, app)]
    // Both were queued at the same time of the test's clock, so their order is not known.
    const reasons = await Promise.all(queued.map(({ id }) => reasonOf(id)))
    expect(reasons.map(({ message }) => message).sort()).toEqual([
      'the only worker that can run the app is busy; 1 run ahead of this one',
      'the only worker that can run the app is busy; this run is next',
    ])
    const large = await givenApp(world, { resources: { gpu: { count: 1, type: 'nvidia', vram: 40e9 } } })
    expect(await reasonOf((await run(world, large)).id)).toEqual({
      code: 'no_gpu',
      message: 'no connected engine has a GPU of type nvidia',
    })
    expect(await reasonOf(first.id)).toBeUndefined()
  })
})
