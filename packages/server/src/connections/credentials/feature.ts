// Credentials: connections to other services, with token refresh.
import { on } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import { providerMoved } from '../auth-providers/extension-points.ts'
import { disconnectMoved } from './disconnect.ts'
import { sweepLeftovers } from './leftovers.ts'
import { credentialOperations } from './operations.ts'
import { renewEnding } from './refresh.ts'
import { declaredReturnRoutes, returnRoutes } from './return-routes.ts'
import { countConnections } from './store.ts'

export const credentialsFeature: Feature = {
  name: 'credentials',
  operations: credentialOperations,
  declaredRoutes: declaredReturnRoutes,
  routes: returnRoutes,
  usage: { connectors: countConnections },
  sealedColumns: [{ table: 'oauth_states', column: 'code_verifier_sealed', teamColumn: 'team_id' }],
  on: [on(providerMoved, disconnectMoved)],
  crons: (platform) => [
    {
      name: 'credentials.renew',
      schedule: '* * * * *',
      handler: async () => {
        await renewEnding(platform)
        await sweepLeftovers(platform)
      },
    },
  ],
}
