// Guarantees: anyone can download the CLI package, an unchanged one is not sent twice, and a missing one answers 404.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cliPackageRoutes } from './routes.ts'

const route = '/cli/millrace.tgz'
let folder = ''
const serve = async (name: string, onError: (error: unknown) => void = () => {}) => {
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    onError(error)
    return reply.code(404).send()
  })
  await cliPackageRoutes(join(folder, name))(app)
  return app
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-cli-package-'))
  await writeFile(join(folder, 'millrace.tgz'), 'archive')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('sends the archive, and 304 to a caller that has it', async () => {
  const app = await serve('millrace.tgz')
  const first = await app.inject(route)
  expect([first.statusCode, first.headers['content-type'], first.body]).toEqual([200, 'application/gzip', 'archive'])
  const { etag } = first.headers
  const again = await app.inject({ url: route, headers: { 'if-none-match': String(etag) } })
  expect([again.statusCode, again.body]).toEqual([304, ''])
})

it('answers 404 where nothing is packed', async () => {
  const errors: unknown[] = []
  const app = await serve('absent.tgz', (error) => errors.push(error))
  expect((await app.inject(route)).statusCode).toBe(404)
  expect(errors).toMatchObject([{ code: 'not_found' }])
})
