// OpenTelemetry spans, sent only if a collector is configured; the packages are loaded on demand. Otherwise a received
// `traceparent` is passed on unchanged.
import { version } from '../settings/version.ts'
import { contextWithin, formatTraceparent, newContext, parseTraceparent, type TraceContext } from './context.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly tracing: Tracing
  }
}

export type SpanRecord = {
  readonly name: string
  readonly kind: 'server' | 'internal'
  readonly context: TraceContext
  /** The parent's `traceparent`; empty for the root of a trace. */
  readonly parent: string
  readonly startMs: number
  readonly endMs: number
  readonly failed: boolean
  readonly attributes: Readonly<Record<string, string | number>>
}

export type Tracing = {
  readonly isOn: boolean
  /** The `traceparent` for work inside a request with the given one; both may be empty. */
  ofRequest(received: string): string
  /** The `traceparent` for work inside the span of `key`, which is a child of `parent`. */
  within(parent: string, key: string): string
  record(span: SpanRecord): void
  stop(): Promise<void>
}

export const noTracing: Tracing = {
  isOn: false,
  ofRequest: (received) => (parseTraceparent(received) ? received : ''),
  within: (parent) => parent,
  record: () => {},
  stop: async () => {},
}

/** Limit of queued spans while the collector is slow or unavailable. Requests never wait. */
const queueSize = 4_096
const exportTimeoutMs = 10_000

export const startTracing = async (endpoint: string | undefined): Promise<Tracing> => {
  if (endpoint === undefined) return noTracing
  const [api, { OTLPTraceExporter }, { BatchSpanProcessor, TracerProvider }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
    ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs })
  // Spans begin and end in one call, so the ids of the current one can be returned here.
  let next: TraceContext = newContext('')
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'millrace', 'service.version': version }),
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: queueSize, exportTimeoutMillis: exportTimeoutMs }),
    ],
  })
  const tracer = provider.getTracer('millrace', version)
  const kinds = { server: api.SpanKind.SERVER, internal: api.SpanKind.INTERNAL }
  const surroundings = (parent: string) => {
    const known = parseTraceparent(parent)
    if (!known) return api.ROOT_CONTEXT
    const { traceId, spanId } = known
    return api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId,
      spanId,
      traceFlags: api.TraceFlags.SAMPLED,
      isRemote: true,
    })
  }
  return {
    isOn: true,
    ofRequest: (received) => formatTraceparent(newContext(received)),
    within: (parent, key) => formatTraceparent(contextWithin(parent, key)),
    record: ({ name, kind, context, parent, startMs, endMs, failed, attributes }) => {
      if (!context.sampled) return
      next = context
      const span = tracer.startSpan(name, { kind: kinds[kind], startTime: startMs, attributes }, surroundings(parent))
      if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR })
      span.end(endMs)
    },
    stop: () => provider.shutdown(),
  }
}
