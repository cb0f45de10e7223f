// Endpoints that answer with a document instead of JSON: the rendered artifact, and the bytes behind `content.uri`.
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { isContentLink } from '#platform/blobs/content-links.ts'
import { authorise } from '#platform/core/authorise.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { type HttpGate, originOf } from '#platform/http/mount.ts'
import { fromHtml, fromMarkdown, maxMarkdownLength, renderHeaders, sourceHeaders, type Theme } from './document.ts'
import { sourcePath } from './dto.ts'
import { type ArtifactAtVersion, findShown, sourceOf } from './lookup.ts'
import { createMarkdownThread } from './markdown-thread.ts'
import { contentOperation } from './operations.ts'
import { countView, findContent } from './store.ts'

const themeOf = (text: unknown): Theme | undefined => (text === 'light' || text === 'dark' ? text : undefined)

export const artifactRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { db, uploadKey, now } = platform
    const setMarkdown = createMarkdownThread(platform.log)
    const documentOf = async (
      { row }: ArtifactAtVersion,
      source: string,
      theme: Theme | undefined,
    ): Promise<string> => {
      if (row.type === 'html') return fromHtml(source, theme)
      const set = source.length > maxMarkdownLength ? null : await setMarkdown(row.team_id, source)
      return fromMarkdown(row.title, source, set, theme)
    }
    app.get<{ Params: { id: string }; Querystring: { version?: unknown; theme?: unknown; team?: unknown } }>(
      '/artifacts/:id/render',
      { exposeHeadRoute: false },
      async (request, reply) => {
        const { version, theme, team } = request.query
        // A frame cannot send headers, so its address names the workspace, which is checked in the same way.
        if (typeof team === 'string' && team !== '') request.headers['x-team-id'] ??= team
        // Rendering needs the same permission as reading the content.
        const actor = authorise(await gate.authenticate(request, reply), contentOperation)
        const ctx = createCtx(platform, actor, { origin: originOf(request), log: request.log as Logger })
        const found = await findShown(ctx, request.params.id, typeof version === 'string' ? version : null)
        const source = await sourceOf(ctx, found)
        await countView(db, found.row.id)
        return reply.headers(renderHeaders).send(await documentOf(found, source, themeOf(theme)))
      },
    )
    app.get<{ Params: { id: string; versionId: string }; Querystring: Record<string, unknown> }>(
      '/artifacts/:id/versions/:versionId/source',
      async ({ params: { id, versionId }, query }, reply) => {
        const known = isContentLink(uploadKey, sourcePath(id, versionId), query, now().getTime())
        const bytes = known ? await findContent(db, id, versionId) : undefined
        if (!bytes) throw fail('not_found', 'Content not found, or its address has expired')
        return reply.headers(sourceHeaders).send(bytes)
      },
    )
  }
