// Prometheus metrics of this process.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  observe(method: string, route: string, status: number, durationMs: number): void
  render(): Promise<string>
  /** A gauge that is read at scrape time. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** A gauge with labels: one value per set of labels, read at scrape time. */
  figure(figure: Figure): void
}

export type Figure = {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  read(): Promise<Reading[]>
}

export type Reading = { labels: Readonly<Record<string, string>>; value: number }

type Observer = { observe(seconds: number): void }

/** A failed readiness check is an expected response. */
export const isFault = (route: string, status: number): boolean => status >= 500 && route !== '/readyz'

/**
 * The longest interval that still shows stalls: each sample wakes an idle server, and the interval is included in the
 * lag.
 */
const lagSampleMs = 50

export const createMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs })
  const duration = new Histogram({
    name: 'millrace_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  const failures = new Counter({
    name: 'millrace_http_server_errors_total',
    help: 'Responses with status 500 or above',
    registers: [registry],
  })
  // Label lookups are cached, because hashing labels would cost every request.
  const figures = new Map<string, Observer>()
  const figureOf = (method: string, route: string, status: number): Observer => {
    const key = `${status} ${method} ${route}`
    const known = figures.get(key)
    if (known) return known
    const made = duration.labels({ method, route, status })
    figures.set(key, made)
    return made
  }
  return {
    observe: (method, route, status, durationMs) => {
      figureOf(method, route, status).observe(durationMs / 1000)
      if (isFault(route, status)) failures.inc()
    },
    render: () => registry.metrics(),
    gauge: (name, help, read) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        registers: [registry],
        collect: async () => gauge.set(await read()),
      })
    },
    figure: ({ name, help, labels = [], read }) => {
      const gauge: Gauge = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [registry],
        collect: async () => {
          const readings = await read()
          gauge.reset()
          for (const reading of readings) gauge.set(reading.labels, reading.value)
        },
      })
    },
  }
}
