// Guarantees: the cards of a machine are found with their current figures, and the engine offers those that the settings
// select.

import { missingCard, offerInWords, parseSelection, withSelection } from '@millrace/contract/gpu-selection'
import { afterEach, describe, expect, test } from 'vitest'
import { startEngine } from '../engine.ts'
import { silentLog } from '../log.ts'
import { startFakeServer } from '../testing/fake-server.ts'
import { createStandInSmi, h200, type StandInSmi } from '../testing/nvidia-smi.ts'
import { startWorld, testConfig, until, type World } from '../testing/world.ts'
import { parseAmdGpus } from './amd.ts'
import { parseAppleGpus } from './apple.ts'
import { createGpuReader } from './gpus.ts'
import { parseNvidiaGpus, parseNvidiaProcesses } from './nvidia.ts'

let smi: StandInSmi | undefined
let world: World | undefined
afterEach(async () => {
  await world?.close()
  smi?.remove()
  world = smi = undefined
})

test('a card is described with memory, load, temperature, power, driver and CUDA', async () => {
  smi = createStandInSmi([h200(0), h200(1)])
  const [first, second] = await createGpuReader({ PATH: smi.path }).gpus()
  expect(first).toEqual({
    id: h200(0).id,
    index: 0,
    type: 'nvidia',
    name: 'NVIDIA H200',
    vram: 143_771 * 2 ** 20,
    memory_total: 143_771 * 2 ** 20,
    memory_used: 4 * 2 ** 20,
    usage: 0.37,
    temperature: 41,
    power: 76.53,
    driver_version: '580.159.03',
    cuda_version: '13.0',
  })
  expect(second).toMatchObject({ id: h200(1).id, index: 1 })
})

test('a machine without tools has no GPU', async () => {
  const reader = createGpuReader({ PATH: '/nonexistent' })
  expect([await reader.gpus(), await reader.processes()]).toEqual([[], []])
})

test('values that a card does not report are omitted', () => {
  const [gpu] = parseNvidiaGpus('0, GPU-1, NVIDIA GB10, [N/A], [N/A], [N/A], 40, [Not Supported], 580.95.05\n')
  expect(gpu).toEqual({
    ...{ id: 'GPU-1', index: 0, type: 'nvidia', name: 'NVIDIA GB10', vram: 0, memory_total: 0, temperature: 40 },
    driver_version: '580.95.05',
  })
  expect(parseNvidiaProcesses('812, GPU-1, 1024\n813, GPU-1, [N/A]\n\n')).toEqual([
    { pid: 812, gpuId: 'GPU-1', bytes: 2 ** 30 },
  ])
})

test('AMD and Apple cards are described from the output of their tools', () => {
  const rocm = {
    card0: {
      ...{ 'Unique ID': '0x9f1c2a44b1e00d21', 'VRAM Total Memory (B)': '68702699520', 'GPU use (%)': '12' },
      ...{ 'VRAM Total Used Memory (B)': '10960896', 'Temperature (Sensor edge) (C)': '35.0' },
      ...{ 'Average Graphics Package Power (W)': '41.0', 'Card Series': 'AMD Instinct MI210' },
    },
    system: { 'Driver version': '6.7.0' },
  }
  expect(parseAmdGpus(JSON.stringify(rocm))).toEqual([
    {
      ...{ id: 'GPU-9f1c2a44b1e00d21', index: 0, type: 'amd', name: 'AMD Instinct MI210', usage: 0.12 },
      ...{ vram: 68_702_699_520, memory_total: 68_702_699_520, memory_used: 10_960_896, temperature: 35, power: 41 },
      driver_version: '6.7.0',
    },
  ])
  expect(parseAmdGpus('WARNING: no AMD GPUs')).toEqual([])
  expect(
    parseAppleGpus('{"SPDisplaysDataType":[{"_name":"Apple M2 Max","sppci_model" : "Apple M2 Max"}]}', 4000),
  ).toEqual([{ id: 'apple-0', index: 0, type: 'apple', name: 'Apple M2 Max', vram: 3000, memory_total: 3000 }])
})

describe('the selection', () => {
  const cpu = { cpu: { count: 2 } }
  test.each([
    ['all', cpu],
    ['none', { ...cpu, gpu: [] }],
    ['0', { ...cpu, gpu: [{ gpus: [0] }] }],
    ['0,1', { ...cpu, gpu: [{ gpus: [0] }, { gpus: [1] }] }],
    ['0+1,2', { ...cpu, gpu: [{ gpus: [0, 1] }, { gpus: [2] }] }],
    ['0,0', { ...cpu, gpu: [{ gpus: [0] }, { gpus: [0] }] }],
  ])('%s', (text, layout) => {
    expect(withSelection({ ...cpu, gpu: [{ gpus: [9] }] }, parseSelection(text))).toEqual(layout)
  })

  test('flags and the environment override the layout of the file', () => {
    const options = { settings: { gpus: 'none', workers: { gpu: [{ gpus: [0] }] } } }
    expect(testConfig({ url: 'http://x', apiKey: 'k' }, '/c', options).workers).toEqual({ gpu: [] })
    expect(() => testConfig({ url: 'http://x', apiKey: 'k' }, '/c', { settings: { gpus: 'some' } })).toThrow(
      'engine settings: gpus: expected all, none, or cards such as 0,1',
    )
  })

  test('a card that the machine does not have is named', () => {
    expect(missingCard({ gpu: [{ gpus: [0, 3] }] }, [{ id: 'g', index: 0 }])).toContain('GPU 3, but the GPUs are 0')
    expect(missingCard({ gpu: [{ gpus: ['g'] }] }, [{ id: 'g', index: 0 }])).toBeUndefined()
  })

  test('the offer in words', () => {
    const gpu = { name: 'NVIDIA H200', vram: 143_771 * 2 ** 20 }
    expect(offerInWords([], { gpu: 0, cpu: 2 })).toBe('2 CPU workers (no GPU found)')
    expect(offerInWords([gpu], { gpu: 1, cpu: 2 })).toBe('1 GPU worker and 2 CPU workers (NVIDIA H200, 150.8 GB)')
    expect(offerInWords([gpu, gpu], { gpu: 0, cpu: 1 })).toBe('1 CPU worker (2 × NVIDIA H200, 150.8 GB)')
  })
})

test('an engine without a layout reports its cards, and lets the server plan the workers', async () => {
  smi = createStandInSmi([h200(0)])
  world = await startWorld({ env: { PATH: smi.path }, gpuWorkers: [[h200(0)]] })
  expect(world.server.registrations[0]).toMatchObject({
    worker_config: {},
    system_info: { gpus: [{ id: h200(0).id, memory_used: 4 * 2 ** 20 }] },
  })
  expect(world.logEntries.map(({ message }) => message)).toContain(
    'registered: 1 GPU worker and 2 CPU workers (NVIDIA H200, 150.8 GB)',
  )
  const { server } = world
  await until(() => server.frames.some((frame) => frame.type === 'engine_telemetry'))
  const [telemetry] = server.frames.filter((frame) => frame.type === 'engine_telemetry')
  expect(telemetry?.data.system_info?.gpus).toMatchObject([{ temperature: 41, cuda_version: '13.0', power: 76.53 }])
})

test('an engine whose settings name a missing card does not start', async () => {
  const server = await startFakeServer()
  const config = testConfig(server, '/tmp/millrace-missing-card', { settings: { gpus: '0+1' } })
  await expect(startEngine(config, { log: silentLog })).rejects.toThrow('the settings name GPU 0, but no GPU was found')
  await server.close()
})

test('an app sees the cards of its worker only, and none on a CPU worker', async () => {
  smi = createStandInSmi([h200(0), h200(1)])
  world = await startWorld({ env: { PATH: smi.path }, gpuWorkers: [[h200(0), h200(1)]] })
  const app = world.app({
    'inference.js': 'export class App { run() { return { seen: process.env.CUDA_VISIBLE_DEVICES } } }',
  })
  const seen = async (worker_id: string) => (await world?.run(app, { worker_id }).end)?.output
  expect(await seen('gpu-worker-0')).toEqual({ seen: `${h200(0).id},${h200(1).id}` })
  expect(await seen('worker-0')).toEqual({ seen: '' })
})
