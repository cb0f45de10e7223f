// Guarantees: tasks on workers that share a GPU are placed by the memory that their apps declare, in SQL and in one
// batch of the dispatcher; the memory of a GPU is never exceeded.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp, run } from '../tasks/testing/given.ts'
import { createGpuRoom } from './gpu-room.ts'
import type { IdleWorker, QueuedTask } from './matching.ts'

describe('a batch', () => {
  const task = (gpu_vram: number, gpu_count = 1) => ({ gpu_vram, gpu_count }) as QueuedTask
  const worker = (shared_gpus: string[], gpu_room = 100) =>
    ({ engine_id: 'e', gpu_vram: 100, shared_gpus, gpu_room }) as unknown as IdleWorker

  it('leaves out the memory of tasks that it has matched on the same cards', () => {
    const rule = createGpuRoom()
    rule.matched(task(60), worker(['a', 'b']))
    expect(rule.mayTake(task(40), worker(['a']))).toBe(true)
    expect(rule.mayTake(task(41), worker(['a']))).toBe(false)
    expect(rule.mayTake(task(100), worker(['c']))).toBe(true)
    expect(rule.mayTake(task(0), worker(['b']))).toBe(false)
    expect(rule.mayTake(task(0, 0), worker(['b']))).toBe(true)
  })
})

describe('two workers that share a card', () => {
  let world: World
  let engine: EngineDouble
  const gpus = [{ id: 'GPU-1', index: 0, type: 'nvidia', name: 'NVIDIA H200', vram: 140e9 }]
  beforeEach(async () => {
    world = await createWorld()
    const workers = { gpu: [{ gpus: [0] }, { gpus: [0] }], cpu: { count: 0 } }
    engine = await startEngine(world, { cloud: true, gpus, workers })
  })
  afterEach(() => world?.close())

  const gpuApp = async (vram: number) => givenApp(world, { resources: { gpu: { count: 1, vram } } })
  const reasonOf = async (id: string) => (await world.call('owner', `GET /tasks/${id}`)).data.queue_reason

  it('run two apps at once that fit', async () => {
    const [small, large] = [await gpuApp(30e9), await gpuApp(100e9)]
    const first = await run(world, small)
    const frame = await engine.next('task_run')
    expect(frame.data.task).toMatchObject({ id: first.id, gpu_vram: 30e9 })
    const second = await run(world, large)
    expect((await engine.next('task_run')).data.task.id).toBe(second.id)
    const third = await run(world, large)
    expect(await reasonOf(third.id)).toMatchObject({ code: 'busy' })
  })

  it('make an app wait that does not fit beside the running one, and name the memory', async () => {
    const large = await gpuApp(100e9)
    await run(world, large)
    const frame = await engine.next('task_run')
    const second = await run(world, large)
    expect(await reasonOf(second.id)).toEqual({
      code: 'gpu_room',
      message: 'the app needs 100 GB of GPU memory, and other runs leave 40 GB of 140 GB',
    })
    // An app that declares nothing needs the whole card.
    const undeclared = await run(world, await gpuApp(0))
    expect(await reasonOf(undeclared.id)).toMatchObject({ code: 'gpu_room' })
    const end = { task_id: frame.data.task.id, attempt: frame.data.task.attempt ?? 0, gpu_memory_peak: 99e9 }
    engine.send({ type: 'task_running', data: { task_id: end.task_id, attempt: end.attempt } })
    engine.send({ type: 'task_completed', data: { ...end, output: Buffer.from('{}').toString('base64') } })
    // Both were queued at the same time of the test's clock, so their order is not known.
    expect([second.id, undeclared.id]).toContain((await serveOne(engine)).data.task.id)
    expect((await world.call('owner', `GET /tasks/${frame.data.task.id}`)).data.gpu_memory_peak).toBe(99e9)
  })
})
