// Sends the archive that `scripts/pack-cli.ts` packs when the server is started or its image is built.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { fail } from '#platform/core/errors.ts'

export const archivePath = fileURLToPath(new URL('../../../../cli/dist/millrace.tgz', import.meta.url))

export const cliPackageRoutes =
  (archive = archivePath) =>
  async (app: FastifyInstance): Promise<void> => {
    app.get('/cli/millrace.tgz', async (request, reply) => {
      const found = await stat(archive).catch(() => null)
      if (!found) throw fail('not_found', 'CLI package not found. `npm start` and the server image pack it')
      const etag = `"${found.mtimeMs.toString(36)}-${found.size.toString(36)}"`
      reply.headers({
        'content-type': 'application/gzip',
        'content-disposition': 'attachment; filename="millrace.tgz"',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        etag,
      })
      if (request.headers['if-none-match'] === etag) return reply.code(304).send()
      return reply.header('content-length', found.size).send(createReadStream(archive))
    })
  }
