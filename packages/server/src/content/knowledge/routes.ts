// The endpoint behind `content.uri`: the text of a version for the holder of a valid address. Always plain text, so
// that no content runs in the origin of this server.
import type { FastifyInstance } from 'fastify'
import { isContentLink } from '#platform/blobs/content-links.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { contentPath } from './dto.ts'
import { findContents } from './versions-store.ts'

const textHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, max-age=21600, immutable',
}

export const contentRoutes =
  ({ db, uploadKey, now }: Platform) =>
  (app: FastifyInstance): void => {
    app.get<{ Params: { id: string; hash: string }; Querystring: Record<string, unknown> }>(
      '/knowledge/:id/contents/:hash',
      async ({ params: { id, hash }, query }, reply) => {
        const known = isContentLink(uploadKey, contentPath(id, hash), query, now().getTime())
        const text = known ? (await findContents(db, id, [hash])).get(hash) : undefined
        if (text === undefined) throw fail('not_found', 'Content not found, or its address has expired')
        return reply.headers(textHeaders).send(text)
      },
    )
  }
