// OpenTelemetry spans of requests, only when a collector is set: the packages load on demand.
import { version } from '../version.ts'

export type RequestSpan = { method: string; route: string; status: number; durationMs: number; requestId: string }

export type Tracing = { observe(span: RequestSpan): void; stop(): Promise<void> }

export const noTracing: Tracing = { observe: () => {}, stop: async () => {} }

export const startTracing = async (endpoint: string | undefined): Promise<Tracing> => {
  if (endpoint === undefined) return noTracing
  const [{ OTLPTraceExporter }, { BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }] = await Promise.all(
    [
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
    ],
  )
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'millrace', 'service.version': version }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }) })],
  })
  const tracer = provider.getTracer('millrace', version)
  return {
    observe: ({ method, route, status, durationMs, requestId }) => {
      const endMs = Date.now()
      const span = tracer.startSpan(`${method} ${route}`, {
        startTime: endMs - durationMs,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'millrace.request_id': requestId,
        },
      })
      span.end(endMs)
    },
    stop: () => provider.shutdown(),
  }
}
