// Artifacts: documents that agents and people publish.

import type { Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { artifactOperations } from './operations.ts'
import { artifactRoutes } from './routes.ts'
import { purgeDeleted } from './store.ts'

const keptAfterDeleteMs = 30 * 86_400_000
const batchSize = 100

/** Deleted artifacts are kept for a while, then they go with all their versions. */
export const sweepArtifacts = async ({ db, now }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - keptAfterDeleteMs).toISOString()
  while ((await purgeDeleted(db, before, batchSize)) === batchSize);
}

export const artifactsFeature: Feature = {
  name: 'artifacts',
  operations: artifactOperations,
  doors: [
    // With the scope and the visibility of reading its content; public artifacts for anybody.
    { name: 'artifacts.render', door: 'GET /artifacts/:id/render', access: 'artifacts:read' },
    { name: 'artifacts.source', door: 'GET /artifacts/:id/versions/:versionId/source', access: 'signed link' },
  ],
  routes: artifactRoutes,
  crons: (platform) => [{ name: 'artifacts.sweep', schedule: '47 3 * * *', handler: () => sweepArtifacts(platform) }],
}
