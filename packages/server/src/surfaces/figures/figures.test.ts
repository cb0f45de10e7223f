// Guarantees: /metrics reports the queue, tasks, engines, workers, connections and event loop delay correctly.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  // No engine is connected, so the task stays queued.
  await run(world, await givenApp(world))
})
afterAll(() => world?.close())

const figures = async (): Promise<string> => (await world.call(null, 'GET /metrics')).text

it.each([
  'millrace_tasks_waiting 1',
  'millrace_queue_oldest_seconds ',
  'millrace_tasks{status="queued"} 1',
  'millrace_runs_total ',
  'millrace_webhooks_total 0',
  'millrace_trigger_fires_total 0',
  'millrace_flow_runs_total 0',
  'millrace_search_waiting ',
  'millrace_calls_waiting 0',
  'millrace_database_connections{pool="request",state="busy"}',
  'millrace_database_connections{pool="dispatch",state="waited_for"} 0',
  'nodejs_eventloop_lag_p99_seconds',
  'millrace_http_request_duration_seconds',
  '# TYPE millrace_engines gauge',
  '# TYPE millrace_workers gauge',
])('shows %s', async (line) => {
  const text = await figures()
  expect(
    text.split('\n').some((one) => one.startsWith(line)),
    text.slice(-2000),
  ).toBe(true)
})

it('shows the GPUs of connected engines', async () => {
  const gpu = { id: 'GPU-1', index: 0, name: 'NVIDIA H200', memory_total: 150_754_820_096, memory_used: 4_194_304 }
  const engine = await startEngine(world, { gpus: [{ ...gpu, usage: 0.37, temperature: 41, power: 76.5 }] })
  const labels = `{engine="${engine.id}",gpu="0"}`
  await expect.poll(figures, { timeout: 20_000 }).toContain(`millrace_gpu_memory_used_bytes${labels} 4194304`)
  const text = await figures()
  for (const line of ['memory_total_bytes', 'utilization', 'temperature_celsius', 'power_watts'])
    expect(text).toContain(`millrace_gpu_${line}${labels} `)
})
