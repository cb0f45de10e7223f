// Artifacts: documents that agents and people publish.

import type { Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { artifactOperations } from './operations.ts'
import { artifactRoutes } from './routes.ts'
import { purgeDeleted } from './store.ts'

const keptAfterDeleteMs = 30 * 86_400_000
const batchSize = 100

/** Purges artifacts, with all versions, some time after their deletion. */
export const sweepArtifacts = async ({ db, now }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - keptAfterDeleteMs).toISOString()
  while ((await purgeDeleted(db, before, batchSize)) === batchSize);
}

export const artifactsFeature: Feature = {
  name: 'artifacts',
  operations: artifactOperations,
  doors: [
    // Requires the scope and visibility for reading the content; public artifacts need no credential.
    { name: 'artifacts.render', door: 'GET /artifacts/:id/render', access: 'artifacts:read' },
    { name: 'artifacts.source', door: 'GET /artifacts/:id/versions/:versionId/source', access: 'signed link' },
  ],
  routes: artifactRoutes,
  crons: (platform) => [{ name: 'artifacts.sweep', schedule: '47 3 * * *', handler: () => sweepArtifacts(platform) }],
}
