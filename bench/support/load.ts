// A closed-loop load with a fixed number of connections: each sends its next request after the last answer.
import { Agent, request } from 'node:http'

export type Load = { requestsPerSecond: number; p50Ms: number; p99Ms: number; errors: number; requests: number }

export type LoadOptions = {
  url: string
  headers?: Record<string, string>
  method?: string
  body?: string
  connections: number
  seconds: number
}

const once = (agent: Agent, options: LoadOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(
      options.url,
      { agent, method: options.method ?? 'GET', headers: options.headers },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(options.body)
  })

export const load = async (options: LoadOptions): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const latencies: number[] = []
  let errors = 0
  const endAt = performance.now() + options.seconds * 1000
  const startedAt = performance.now()
  const worker = async (): Promise<void> => {
    while (performance.now() < endAt) {
      const before = performance.now()
      const status = await once(agent, options).catch(() => 0)
      latencies.push(performance.now() - before)
      if (status < 200 || status >= 300) errors += 1
    }
  }
  await Promise.all(Array.from({ length: options.connections }, worker))
  const elapsed = (performance.now() - startedAt) / 1000
  agent.destroy()
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requestsPerSecond: latencies.length / elapsed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors,
    requests: latencies.length,
  }
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export const show = (value: number, digits = 0): string => value.toLocaleString('en', { maximumFractionDigits: digits })
