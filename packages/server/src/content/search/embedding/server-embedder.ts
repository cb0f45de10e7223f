// The embedder of a server: the bundled model, or the configured endpoint.
import type { Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Embedder } from './embedder.ts'
import { createEndpointEmbedder } from './endpoint.ts'
import { createThreadEmbedder } from './thread.ts'

const embedderState = perPlatform((): { embedder: Embedder | null } => ({ embedder: null }))

const createEmbedder = ({ settings, outbound }: Pick<Platform, 'settings' | 'outbound'>): Embedder =>
  settings.EMBEDDINGS_URL === undefined
    ? createThreadEmbedder()
    : createEndpointEmbedder(outbound, { address: settings.EMBEDDINGS_URL, key: settings.EMBEDDINGS_KEY })

export const embedderOf = (platform: Pick<Platform, 'settings' | 'outbound' | 'extensions'>): Embedder => {
  const server = embedderState(platform)
  server.embedder ??= createEmbedder(platform)
  return server.embedder
}
