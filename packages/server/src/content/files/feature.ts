// Files: records, uploads, downloads and their sweeps.
import { uploadKeyColumn } from '#platform/blobs/upload-key.ts'
import type { Feature } from '#platform/core/feature.ts'
import { dropBytesJob } from './delete-bytes-job.ts'
import { fileOperations } from './operations.ts'
import { declaredFileRoutes, fileRoutes } from './routes.ts'
import { storedMegabytes } from './storage.ts'
import { sweepAtStart, sweepOldOrphans, sweepUnfinished, sweepUnnamed } from './sweep.ts'

export const filesFeature: Feature = {
  name: 'files',
  operations: fileOperations,
  declaredRoutes: declaredFileRoutes,
  routes: fileRoutes,
  sealedColumns: [uploadKeyColumn],
  usage: { storage_mb: storedMegabytes },
  jobs: (platform) => ({ [dropBytesJob.name]: dropBytesJob.handler(platform) }),
  crons: (platform) => [
    { name: 'files.sweep_unfinished', schedule: '41 * * * *', handler: () => sweepUnfinished(platform) },
    {
      name: 'files.sweep_orphans',
      schedule: '23 3 * * *',
      handler: async () => {
        await sweepUnnamed(platform)
        await sweepOldOrphans(platform)
      },
    },
  ],
  start: async (platform) => {
    await platform.blobs.check()
    // Not awaited, so that a large store does not delay the start.
    const sweeping = sweepAtStart(platform).catch((error: unknown) =>
      platform.log.error({ err: error }, 'the initial sweep of files failed'),
    )
    return async () => {
      await sweeping
    }
  },
}
