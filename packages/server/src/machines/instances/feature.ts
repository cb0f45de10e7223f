// Instances: clouds, their offers and prices.
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { refreshAll, sealedTokens } from './clouds.ts'
import { instanceOperations } from './operations.ts'
import { maxDays } from './service.ts'
import { deletePricesBefore } from './store.ts'

const dayMs = 24 * 60 * 60 * 1000

export const instancesFeature: Feature = {
  name: 'instances',
  operations: instanceOperations,
  sealedColumns: [sealedTokens],
  crons: (platform) => [
    {
      name: 'instances.refresh',
      schedule: '23 * * * *',
      handler: () => refreshAll(createCtx(platform, system)),
    },
    {
      name: 'instances.forget_prices',
      schedule: '31 4 * * *',
      handler: () =>
        deletePricesBefore(
          platform.db,
          new Date(platform.now().getTime() - maxDays * dayMs).toISOString().slice(0, 10),
        ),
    },
  ],
}
