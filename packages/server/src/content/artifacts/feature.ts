// Artifacts: documents that agents and people publish.

import { RenderQuery } from '@millrace/contract/artifacts'
import { IdPath } from '@millrace/contract/common'
import type { Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { artifactOperations } from './operations.ts'
import { artifactRoutes } from './routes.ts'
import { purgeDeleted } from './store.ts'

const retainedAfterDeleteMs = 30 * 86_400_000
const batchSize = 100

/** Purges artifacts, with all versions, some time after their deletion. */
export const sweepArtifacts = async ({ db, now }: Platform): Promise<void> => {
  const before = new Date(now().getTime() - retainedAfterDeleteMs).toISOString()
  while ((await purgeDeleted(db, before, batchSize)) === batchSize);
}

export const artifactsFeature: Feature = {
  name: 'artifacts',
  operations: artifactOperations,
  declaredRoutes: [
    // Requires the scope and visibility for reading the content; public artifacts need no credential.
    {
      name: 'artifacts.render',
      route: 'GET /artifacts/:id/render',
      access: 'artifacts:read',
      reference: {
        summary: 'The artifact as a sandboxed HTML page',
        access: 'Scope `artifacts:read`. Without it, public rows only.',
        path: IdPath,
        query: RenderQuery,
        contentType: 'text/html',
        fails: ['unauthorized', 'forbidden', 'insufficient_scope', 'not_found'],
      },
    },
    { name: 'artifacts.source', route: 'GET /artifacts/:id/versions/:versionId/source', access: 'signed link' },
  ],
  routes: artifactRoutes,
  crons: (platform) => [{ name: 'artifacts.sweep', schedule: '47 3 * * *', handler: () => sweepArtifacts(platform) }],
}
