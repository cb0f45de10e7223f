// Routes of the console: its page at every path below /console, and its files. They need no credential and no database;
// the page calls the API like any client.
import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { page, pageHeaders } from '#platform/http/html.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { type BuiltFile, type BuiltFiles, chooseForm, readBuiltFiles } from './built-files.ts'

export const builtFolder = fileURLToPath(new URL('../../../../web/dist', import.meta.url))

/**
 * Scripts, fonts and requests only from this origin. Inline styles are allowed because editors position text with them.
 * Images and audio may also come from the file store.
 */
export const contentPolicy = ({ BASE_URL, APP_URL, S3_ENDPOINT }: Settings): string => {
  const own = [...new Set(["'self'", new URL(BASE_URL).origin, new URL(APP_URL).origin])].join(' ')
  const stored = S3_ENDPOINT === undefined ? own : `${own} ${new URL(S3_ENDPOINT).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    `connect-src ${stored}`,
    `img-src ${stored} data: blob:`,
    `media-src ${stored} blob:`,
    `frame-src ${stored} blob:`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

const yearSeconds = 365 * 24 * 3600

const sendFile = (request: FastifyRequest, reply: FastifyReply, file: BuiltFile, policy: string): FastifyReply => {
  reply.headers({
    'content-type': file.contentType,
    'cache-control': file.immutable ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
    etag: file.etag,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
  })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const { path, encoding } = chooseForm(file, String(request.headers['accept-encoding'] ?? ''))
  if (encoding !== null) reply.header('content-encoding', encoding)
  return reply.send(createReadStream(path))
}

const notBuilt = page(
  'Console',
  '<h1>The console has not been built</h1><p><code>npm start</code> builds it. The API works without it: see <a href="/docs">the reference</a>.</p>',
)

export const consoleRoutes =
  (settings: Settings, folder = builtFolder) =>
  async (app: FastifyInstance): Promise<void> => {
    if (!settings.CONSOLE) return
    const files: BuiltFiles = await readBuiltFiles(folder)
    const index = files.get('index.html')
    const policy = contentPolicy(settings)
    const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const name = (request.params as { '*'?: string })['*'] ?? ''
      const file = files.get(name)
      if (file && name !== 'index.html') return sendFile(request, reply, file, policy)
      // A cached old page requests files of an older build; answering with a page would run it as a script.
      if (name.startsWith('assets/')) {
        reply.callNotFound()
        return reply
      }
      return index ? sendFile(request, reply, index, policy) : reply.code(503).headers(pageHeaders).send(notBuilt)
    }
    app.get('/console', answer)
    app.get('/console/*', answer)
  }
