// Guarantees: the apps on a card never reserve more memory than it has; idle apps are ended for others, least recently
// used first, running ones never; an app that uses more than it declares is reported, and ended when others need the
// memory.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStandInSmi, h200, type StandInSmi } from '../testing/nvidia-smi.ts'
import { startWorld, until, type World, waitAtGate } from '../testing/world.ts'
import { createGpuMemory, type GpuReservation } from './gpu-memory.ts'

const card = { gpuIds: ['a'], signal: new AbortController().signal, onWait: () => {} }

describe('the reservations of a card', () => {
  const reading = { list: [] as { pid: number; gpuId: string; bytes: number }[] }
  const create = (bytes = 100) =>
    createGpuMemory({
      cards: new Map([['a', bytes]]),
      reader: { processes: async () => reading.list },
      intervalMs: 1e6,
    })
  beforeEach(() => {
    reading.list = []
  })

  const idle = (reservation: GpuReservation, ended: string[], name: string) =>
    reservation.endRun(async () => {
      ended.push(name)
      reservation.release()
    })

  test('[E60] the least recently used idle apps are ended, and no more than necessary', async () => {
    const memory = create()
    const ended: string[] = []
    for (const name of ['one', 'two', 'three']) idle(await memory.reserve({ ...card, bytes: 30 }), ended, name)
    await memory.reserve({ ...card, bytes: 60 })
    expect(ended).toEqual(['one', 'two'])
  })

  test('an app that would not fit waits for a running one, with the reason', async () => {
    const memory = create()
    const running = await memory.reserve({ ...card, bytes: 80 })
    const reasons: string[] = []
    const waits = memory.reserve({ ...card, bytes: 40, onWait: (message) => reasons.push(message) })
    await until(() => reasons.length > 0)
    expect(reasons).toEqual(['Waiting for 0 GB of GPU memory: 0 GB of 0 GB is free'])
    running.release()
    await waits
  })

  test('a canceled wait ends', async () => {
    const memory = create()
    await memory.reserve({ ...card, bytes: 80 })
    const stop = new AbortController()
    const waits = memory.reserve({
      ...card,
      bytes: 40,
      signal: stop.signal,
      onWait: () => stop.abort(new Error('over')),
    })
    await expect(waits).rejects.toThrow('over')
  })

  test('concurrent requests never get more than the card has', async () => {
    const memory = create()
    let granted = 0
    const wanted = [40, 40, 40, 40].map((bytes) =>
      memory.reserve({ ...card, bytes }).then((reservation) => {
        granted += bytes
        expect(granted).toBeLessThanOrEqual(100)
        return reservation
      }),
    )
    for (const request of wanted) {
      const reservation = await request
      granted -= 40
      reservation.release()
    }
  })

  test('an app that uses more than it declares is reported once, and keeps running while it is alone', async () => {
    const memory = create(100e9)
    const app = await memory.reserve({ ...card, bytes: 30e9 })
    const seen: string[] = []
    app.attach({ pids: () => [7], end: (reason) => seen.push(`ended: ${reason}`) })
    app.begin((message) => seen.push(message))
    reading.list = [{ pid: 7, gpuId: 'a', bytes: 50e9 }]
    await memory.measure()
    await memory.measure()
    expect(seen).toEqual(['the app uses 50 GB of GPU memory and declares 30 GB'])
    expect([app.peakBytes(), app.measuredBytes()]).toEqual([50e9, 50e9])
  })

  test.each([
    ['the other was there before', 'before'],
    ['the other comes later', 'later'],
  ])('it is ended when another app needs the memory: %s', async (_claim, order) => {
    const memory = create(100e9)
    const ended: string[] = []
    const begin = async (bytes: number, pid: number) => {
      const reservation = await memory.reserve({ ...card, bytes })
      reservation.attach({
        pids: () => [pid],
        end: (reason) => {
          ended.push(`${pid}: ${reason}`)
          reservation.release()
        },
      })
      return reservation
    }
    if (order === 'before') await begin(60e9, 8)
    await begin(30e9, 7)
    reading.list = [{ pid: 7, gpuId: 'a', bytes: 70e9 }]
    await memory.measure()
    if (order === 'later') await begin(60e9, 8)
    expect(ended).toEqual([
      expect.stringMatching(/^7: GPU memory limit exceeded: the app used 70 GB .* declares 30 GB/),
    ])
  })
})

describe('an engine with one card', () => {
  let smi: StandInSmi
  let world: World
  beforeEach(async () => {
    smi = createStandInSmi([h200(0)])
    world = await startWorld({ env: { PATH: smi.path }, gpuWorkers: [[h200(0)], [h200(0)]], workers: 1 })
  })
  afterEach(async () => {
    await world.close()
    smi.remove()
  })

  /** Allocates memory as far as the stand-in for `nvidia-smi` knows: `use` gigabytes, with the pid of this process. */
  const gpuApp = () =>
    world.app({
      'inference.js': `import { writeFileSync } from 'node:fs'
        export class App {
          async run({ use, wait }) {
            writeFileSync(${JSON.stringify(smi.apps)} + '/' + process.pid, process.pid + ' ${h200(0).id} ' + Math.round(use * 1e9 / 2 ** 20))
            if (wait) ${waitAtGate}
            return { pid: process.pid }
          }
        }`,
    })
  const on = (worker: number, gigabytes: number, input: { use: number; wait?: boolean }) => ({
    worker_id: `gpu-worker-${worker}`,
    gpu_count: 1,
    gpu_vram: gigabytes * 1e9,
    input,
  })

  test('[E60] keeps apps warm side by side, and ends the least recently used one for a large app', async () => {
    const [one, two, large] = [gpuApp(), gpuApp(), gpuApp()]
    const first = await world.run(one, on(0, 30, { use: 28 })).end
    const second = await world.run(two, on(0, 30, { use: 28 })).end
    // Both are still warm on the same worker.
    expect((await world.run(one, on(0, 30, { use: 28 })).end).output).toEqual(first.output)
    expect((await world.run(large, on(0, 100, { use: 98 })).end).type).toBe('task_completed')
    // 30 + 100 GB fit on the card, so the app that was used last is still warm.
    expect((await world.run(one, on(0, 30, { use: 28 })).end).output).toEqual(first.output)
    expect((await world.run(two, on(0, 30, { use: 28 })).end).output).not.toEqual(second.output)
  })

  test('[E60] makes a run wait for memory on another worker of the card, and logs the reason', async () => {
    const [one, large] = [gpuApp(), gpuApp()]
    const running = world.run(one, on(0, 60, { use: 50, wait: true }))
    await running.seen('task_running')
    const waiting = world.run(large, on(1, 100, { use: 90 }))
    await until(() => waiting.logs().includes('Waiting for 100 GB of GPU memory: 90.8 GB of 150.8 GB is free'))
    await world.letGo()
    expect([(await running.end).type, (await waiting.end).type]).toEqual(['task_completed', 'task_completed'])
  })

  test('[E60] reports the peak of a run, and ends an app that uses the memory of another', async () => {
    const [greedy, other] = [gpuApp(), gpuApp()]
    const running = world.run(greedy, on(0, 30, { use: 120, wait: true }))
    await until(() => running.logs().includes('the app uses 120 GB of GPU memory and declares 30 GB'))
    expect((await world.run(other, on(1, 60, { use: 50 })).end).type).toBe('task_completed')
    const end = await running.end
    expect(end).toMatchObject({ type: 'task_failed', error: expect.stringContaining('GPU memory limit exceeded') })
    const last = running.frames().find(({ type }) => type === 'task_failed')
    expect(last?.data).toMatchObject({ gpu_memory_peak: Math.round(120e9 / 2 ** 20) * 2 ** 20 })
  })

  test('reports the memory of each worker in telemetry', async () => {
    await world.run(gpuApp(), on(0, 30, { use: 20 })).end
    await until(() =>
      world.server.frames.some(
        (frame) =>
          frame.type === 'engine_telemetry' &&
          frame.data.workers[0]?.system_info?.gpu_memory_used === Math.round(20e9 / 2 ** 20) * 2 ** 20,
      ),
    )
  })
})
