// Device sign-in: its operations, page and cleanup.
import type { Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { deviceOperations } from './operations.ts'
import { declaredDeviceRoutes, deviceRoutes } from './page-routes.ts'
import { sweep } from './service.ts'

export const deviceFeature = {
  name: 'device',
  operations: deviceOperations,
  declaredRoutes: declaredDeviceRoutes,
  routes: deviceRoutes,
  crons: (platform: Platform) => [{ name: 'device.sweep', schedule: '*/5 * * * *', handler: () => sweep(platform) }],
} satisfies Feature
