// Access: keys, scopes, roles, audit and rate limits.
import type { Feature } from '#platform/core/feature.ts'
import { startCheckpoints } from './audit-checkpoints.ts'
import { closeOldAudit, sealedSegments } from './audit-segments.ts'
import { sealedAnswers, sweepIdempotencyKeys } from './idempotency.ts'
import { sweepKeys } from './keys.ts'
import { countKeys } from './keys-store.ts'
import { accessOperations } from './operations.ts'
import { runsOfMinute, sweepRateWindows } from './rate-limits.ts'

export const accessFeature: Feature = {
  name: 'access',
  operations: accessOperations,
  usage: { api_keys: countKeys, rate_per_min: runsOfMinute },
  sealedColumns: [sealedAnswers, sealedSegments],
  listening: startCheckpoints,
  crons: (platform) => [
    {
      name: 'access_sweep',
      schedule: '*/5 * * * *',
      handler: async () => {
        const { db, now, log } = platform
        const keys = await sweepKeys(db, now())
        await sweepRateWindows(db, now())
        await sweepIdempotencyKeys(db, now())
        if (keys > 0) log.info({ keys }, 'deleted expired keys')
      },
    },
    { name: 'audit.retention', schedule: '53 * * * *', handler: () => closeOldAudit(platform) },
  ],
}
