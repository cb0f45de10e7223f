// A collector of traces (OTLP over HTTP, JSON) and of completion webhooks, on its own port.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export type Span = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

export type Collector = {
  readonly url: string
  /** Every span so far, in order of arrival. */
  spans(): Span[]
  /** Headers of all other POST requests. */
  readonly hooks: IncomingHttpHeaders[]
  close(): void
}

export const startCollector = async (): Promise<Collector> => {
  const spans: Span[] = []
  const hooks: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      if (request.url === '/v1/traces') {
        const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
        for (const { scopeSpans } of (JSON.parse(text.toString()) as Export).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans)
      } else hooks.push(request.headers)
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans: () => spans, hooks, close: () => server.close() }
}
