// Rentals: engines on machines that the workspace pays by the hour.

import { workspaceArchived } from '#accounts/teams/extension-points.ts'
import { system } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { engineEnded } from '../engines/extension-points.ts'
import { machinesAbandoned } from '../instances/extension-points.ts'
import { abandonMachines, endRental, endRentalsOf } from './end-rental.ts'
import { rentalOperations } from './operations.ts'
import { localOf } from './providers.ts'
import { sealedKeys } from './service.ts'
import { deleteRemovedBefore, rentedMachines } from './store.ts'
import { sweepOrphans, sweepRentals } from './sweep.ts'

const retentionDays = 400
const dayMs = 24 * 60 * 60 * 1000
const rowsPerSweep = 5_000

export const rentalsFeature: Feature = {
  name: 'rentals',
  operations: rentalOperations,
  sealedColumns: [sealedKeys],
  on: [on(engineEnded, endRental), on(workspaceArchived, endRentalsOf), on(machinesAbandoned, abandonMachines)],
  // Engines on this machine connect to this server, so they are started once it listens.
  listening: async (platform) => {
    const stop = platform.periodicTasks.add({
      name: 'rentals',
      due: () => [rentedMachines],
      work: () => sweepRentals(createCtx(platform, system)),
    })
    return async () => {
      await stop()
      const { provider } = await localOf(platform)
      await provider.rest()
    }
  },
  crons: (platform) => [
    {
      name: 'rentals.orphans',
      schedule: '*/10 * * * *',
      handler: () => sweepOrphans(createCtx(platform, system)),
    },
    {
      name: 'rentals.forget',
      schedule: '53 4 * * *',
      handler: () =>
        deleteRemovedBefore(
          platform.db,
          new Date(platform.now().getTime() - retentionDays * dayMs).toISOString(),
          rowsPerSweep,
        ),
    },
  ],
}
