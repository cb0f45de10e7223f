// OAuth clients as a part of identity: registration, the consent page and cleanup.
import type { Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { oauthAppOperations } from './operations.ts'
import { declaredOauthAppRoutes, oauthAppRoutes } from './page-routes.ts'
import { sweepOauthApps } from './service.ts'

export const oauthAppsFeature = {
  name: 'oauth-apps',
  operations: oauthAppOperations,
  declaredRoutes: declaredOauthAppRoutes,
  routes: oauthAppRoutes,
  crons: (platform: Platform) => [
    { name: 'oauth_apps.sweep', schedule: '29 * * * *', handler: () => sweepOauthApps(platform) },
  ],
} satisfies Feature
