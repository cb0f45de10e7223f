// The server about itself: health, readiness, figures, the route catalogue and its pages.
import { errorTable, isErrorCode } from '@millrace/contract/errors'
import { sql } from 'kysely'
import type { Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import { escapeHtml, favicon, page } from './html.ts'
import type { Metrics } from './metrics.ts'
import { openApiDocument } from './openapi.ts'
import { referencePage } from './reference-page.ts'
import type { RawRoutes } from './server.ts'

export type Readiness = { stopping: boolean }

export const serviceRoutes =
  (
    platform: Platform,
    {
      operations,
      metrics,
      readiness,
      version,
    }: { operations: readonly Operation[]; metrics: Metrics; readiness: Readiness; version: string },
  ): RawRoutes =>
  (app) => {
    const { settings, db } = platform
    const openApi = once(() => openApiDocument(operations, { baseUrl: settings.BASE_URL, version }))
    const document = once(() => Buffer.from(JSON.stringify(openApi())))
    const reference = once(() => Buffer.from(referencePage(openApi())))

    app.get('/healthz', async () => ({ status: 'ok', version }))
    app.get('/readyz', async () => {
      if (readiness.stopping) throw fail('unavailable', 'The server is stopping')
      await sql`select 1`.execute(db).catch((cause: unknown) => {
        throw fail('unavailable', { detail: 'The database does not answer', cause })
      })
      return { status: 'ready' }
    })
    app.get('/metrics', async (_request, reply) => {
      reply.type('text/plain; version=0.0.4; charset=utf-8')
      return metrics.render()
    })
    app.get('/openapi.json', async (_request, reply) => {
      return reply.type('application/json; charset=utf-8').send(document())
    })
    for (const path of ['/favicon.svg', '/favicon.ico'])
      app.get(path, async (_request, reply) =>
        reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(favicon),
      )
    app.get('/docs', async (_request, reply) => reply.type('text/html; charset=utf-8').send(reference()))
    app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
      const { code } = request.params
      if (!isErrorCode(code)) throw fail('not_found', 'There is no such error code')
      const row = errorTable[code]
      return reply.type('text/html; charset=utf-8').send(
        page(
          code,
          `<h1><code>${escapeHtml(code)}</code></h1><p>${escapeHtml(row.title)}.</p>
           <p>HTTP status ${row.status}. ${'retryable' in row ? 'Trying again later can help.' : 'The same request will be refused again.'}</p>
           <p>The <code>detail</code> of the answer says what was wrong in your case. <a href="/docs">API reference</a></p>`,
        ),
      )
    })
  }

/** Made when first asked for: a start must not pay for pages that nobody reads. */
const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
