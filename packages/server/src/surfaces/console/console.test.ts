// Guarantees: the console's files are sent compressed and cached forever, its page is served at every path below it and
// never cached; nothing outside the build can be read; the content policy blocks foreign scripts; and the console can
// be disabled.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSettings } from '#platform/settings/settings.ts'
import { builtFolder, consoleRoutes } from './routes.ts'

const script = 'console.log("mill")'.repeat(100)
const html = '<!doctype html><title>Millrace</title>'

const serve = async (folder: string, env: Record<string, string> = {}): Promise<FastifyInstance> => {
  const app = Fastify()
  await consoleRoutes(readSettings(env), folder)(app)
  return app
}

describe('the console', () => {
  let folder = ''
  let app: FastifyInstance
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-console-'))
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true })
    await writeFile(join(folder, 'outside.js'), 'secret')
    await writeFile(join(folder, 'dist', 'index.html'), html)
    await writeFile(join(folder, 'dist', '.built-from'), 'stamp')
    await writeFile(join(folder, 'dist', 'assets', 'main-abc.js'), script)
    await writeFile(join(folder, 'dist', 'assets', 'main-abc.js.br'), brotliCompressSync(script))
    await writeFile(join(folder, 'dist', 'assets', 'main-abc.js.gz'), gzipSync(script))
    app = await serve(join(folder, 'dist'))
  })
  afterAll(async () => {
    await app.close()
    await rm(folder, { recursive: true, force: true })
  })

  it.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['', undefined],
  ])('sends a file to a client that accepts "%s" as %s', async (accept, encoding) => {
    const { headers, statusCode } = await get('/console/assets/main-abc.js', { 'accept-encoding': accept })
    expect([statusCode, headers['content-encoding'], headers['content-type']]).toEqual([
      200,
      encoding,
      'text/javascript; charset=utf-8',
    ])
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers.vary).toBe('Accept-Encoding')
  })

  it.each(['/console', '/console/', '/console/runs/abc', '/console/apps/a/b.c', '/console/index.html'])(
    'serves its page at %s',
    async (url) => {
      const { headers, statusCode, body } = await get(url)
      expect([statusCode, body, headers['cache-control']]).toEqual([200, html, 'no-cache'])
    },
  )

  it('answers 304 to a client that has the page', async () => {
    const { headers } = await get('/console')
    const again = await get('/console', { 'if-none-match': String(headers.etag) })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it.each([
    '/console/assets/gone-abc.js',
    '/console/assets/../../outside.js',
    '/console/assets/%2e%2e/%2e%2e/outside.js',
  ])('has no file %s', async (url) => {
    const { statusCode, body } = await get(url)
    expect(body).not.toContain('secret')
    if (url.endsWith('gone-abc.js')) expect(statusCode).toBe(404)
  })

  it('allows only its own scripts, and no frames', async () => {
    const policy = String((await get('/console')).headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/https:(?!\/\/)|\*/)
  })

  it('is read from the folder that the console is built into', async () => {
    const { name } = JSON.parse(await readFile(join(builtFolder, '..', 'package.json'), 'utf8')) as { name: string }
    expect([name, basename(builtFolder)]).toEqual(['@millrace/web', 'dist'])
  })

  it('reports that it has not been built', async () => {
    const bare = await serve(join(folder, 'nothing'))
    const { statusCode, body } = await bare.inject('/console')
    expect([statusCode, body.includes('npm start')]).toEqual([503, true])
  })

  it('is missing when disabled', async () => {
    const without = await serve(join(folder, 'dist'), { CONSOLE: 'false' })
    expect((await without.inject('/console')).statusCode).toBe(404)
  })
})
