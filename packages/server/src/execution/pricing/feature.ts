// Pricing: prices of apps, reservations when runs are accepted and charges when they end.
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { reserveCost } from '../runs/extension-points.ts'
import { taskEnded } from '../tasks/extension-points.ts'
import { reserve, settle } from './charges.ts'
import { pricingOperations } from './operations.ts'
import { stopOverruns } from './overruns.ts'
import { deleteSettledBefore, openEnded } from './store.ts'

const retentionDays = 90
const dayMs = 24 * 60 * 60 * 1000
const rowsPerSweep = 5_000
const watchMs = 5_000

export const pricingFeature: Feature = {
  name: 'pricing',
  operations: pricingOperations,
  on: [on(reserveCost, reserve), on(taskEnded, { concerns: ({ priced }) => priced, run: settle })],
  start: async (platform) =>
    platform.periodicTasks.add({
      name: 'overruns',
      due: (db) => [openEnded(db, 1)],
      work: () => stopOverruns(createCtx(platform, system)),
      everyMs: watchMs,
    }),
  crons: ({ db, now }) => [
    {
      name: 'pricing_sweep',
      schedule: '17 * * * *',
      handler: async () => {
        await deleteSettledBefore(db, new Date(now().getTime() - retentionDays * dayMs).toISOString(), rowsPerSweep)
      },
    },
  ],
}
