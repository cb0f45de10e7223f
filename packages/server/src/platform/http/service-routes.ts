// Routes about the server itself: health, readiness, metrics, API reference, guides and error pages.
import { statfs } from 'node:fs/promises'
import { errorTable, isErrorCode } from '@millrace/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Platform } from '../core/ctx.ts'
import type { DeclaredRoute } from '../core/declared-route.ts'
import { fail } from '../core/errors.ts'
import { sameSecret } from '../core/tokens.ts'
import { pingDatabase } from '../db/probe.ts'
import { isOnlyLocal, type Settings } from '../settings/settings.ts'
import { guidePage } from './guide-page.ts'
import { escapeHtml, favicon, page } from './html.ts'
import type { Metrics } from './metrics.ts'
import { createReferenceThread } from './reference-thread.ts'
import type { RawRoutes } from './server.ts'

export const declaredServiceRoutes: readonly DeclaredRoute[] = [
  { name: 'service.health', route: 'GET /healthz', access: 'public' },
  { name: 'service.ready', route: 'GET /readyz', access: 'public' },
  { name: 'service.metrics', route: 'GET /metrics', access: 'public' },
  { name: 'service.openapi', route: 'GET /openapi.json', access: 'public' },
  { name: 'service.reference', route: 'GET /docs', access: 'public' },
  { name: 'service.guides', route: 'GET /guides', access: 'public' },
  { name: 'service.guide', route: 'GET /guides/:name', access: 'public' },
  { name: 'service.icon', route: 'GET /favicon.svg', access: 'public' },
  { name: 'service.icon_2', route: 'GET /favicon.ico', access: 'public' },
  { name: 'service.error', route: 'GET /errors/:code', access: 'public' },
]

export type Readiness = { stopping: boolean }

export const serviceRoutes =
  (
    platform: Platform,
    { metrics, readiness, version }: { metrics: Metrics; readiness: Readiness; version: string },
  ): RawRoutes =>
  (app) => {
    const { settings, db } = platform
    const reference = createReferenceThread({ baseUrl: settings.BASE_URL, version })

    app.get('/healthz', async () => ({ status: 'ok', version }))
    app.get('/readyz', async () => {
      if (readiness.stopping) throw fail('unavailable', 'The server is stopping')
      await within(databaseTimeoutMs, pingDatabase(db)).catch((cause: unknown) => {
        throw fail('unavailable', { detail: 'The database is not reachable', cause })
      })
      await refuseFullDisk(settings.DATA_DIR)
      return { status: 'ready' }
    })
    app.get('/metrics', async (request, reply) => {
      refuseMetrics(settings, request)
      reply.type('text/plain; version=0.0.4; charset=utf-8')
      return metrics.render()
    })
    if (settings.DOCS === 'public')
      app.get('/openapi.json', async (_request, reply) => {
        return reply.type('application/json; charset=utf-8').send(await reference.document())
      })
    if (settings.DOCS === 'public')
      app.get<{ Querystring: { q?: string | string[] } }>('/docs', async (request, reply) => {
        const { q } = request.query
        return reply.type('text/html; charset=utf-8').send(await reference.page(typeof q === 'string' ? q : ''))
      })
    if (settings.DOCS === 'public')
      for (const path of ['/guides', '/guides/:name'])
        app.get<{ Params: { name?: string } }>(path, async (request, reply) => {
          const guide = await guidePage(request.params.name ?? 'README')
          if (guide === null) throw fail('not_found', 'Guide not found')
          return reply.type('text/html; charset=utf-8').send(guide)
        })
    for (const path of ['/favicon.svg', '/favicon.ico'])
      app.get(path, async (_request, reply) =>
        reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(favicon),
      )
    app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
      const { code } = request.params
      if (!isErrorCode(code)) throw fail('not_found', 'Error code not found')
      const row = errorTable[code]
      return reply.type('text/html; charset=utf-8').send(
        page(
          code,
          `<h1><code>${escapeHtml(code)}</code></h1><p>${escapeHtml(row.title)}.</p>
           <p>HTTP status ${row.status}. ${'retryable' in row ? 'A retry can succeed later.' : 'A retry fails in the same way.'}</p>
           <p>The <code>detail</code> of the answer says what was wrong in your case. <a href="/docs">API reference</a></p>`,
        ),
      )
    })
  }

/** Long enough for a database under load, short enough for a health check. */
const databaseTimeoutMs = 2_000

/** Rejects after the limit: a paused database neither answers nor refuses connections. */
const within = async <T>(limitMs: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs)
  })
  return Promise.race([work, limit]).finally(() => clearTimeout(timer))
}

/** Below this limit, the next upload or database page may not fit. */
const minFreeBytes = 64 * 1024 * 1024

const refuseFullDisk = async (dataDir: string): Promise<void> => {
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize < minFreeBytes)
    throw fail('unavailable', `The disk of the data folder is full: less than ${minFreeBytes} bytes are free`)
}

/** Metrics are internal: they are readable from this machine or with the token. */
const refuseMetrics = (settings: Settings, request: FastifyRequest): void => {
  const { METRICS_TOKEN } = settings
  const [, token = ''] = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  if (METRICS_TOKEN !== undefined && sameSecret(token, METRICS_TOKEN)) return
  if (METRICS_TOKEN === undefined && isLoopback(request.clientIp) && !mayBeForwarded(settings, request)) return
  throw fail('unauthorized', 'Send the token of METRICS_TOKEN as: Authorization: Bearer <token>')
}

/** Behind a local proxy that is not configured, all clients appear to be this machine. */
const mayBeForwarded = (settings: Settings, { headers }: FastifyRequest): boolean => {
  if (settings.TRUST_PROXY.length > 0) return false
  const isForwarded = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'via'].some(
    (name) => headers[name] !== undefined,
  )
  return isForwarded || (isLoopback(settings.HOST) && !isOnlyLocal(settings))
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.')
