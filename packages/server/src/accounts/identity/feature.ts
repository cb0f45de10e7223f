// Identity: people, workspaces, memberships and sign-in.
import type { Feature } from '#platform/core/feature.ts'
import { mailHandler, mailJob } from '#platform/mail/queue.ts'
import { deviceFeature } from './device/feature.ts'
import { oauthAppsFeature } from './oauth-apps/feature.ts'
import { signInOperations } from './operations.ts'
import { declaredSignInRoutes, signInRoutes } from './pages/sign-in-routes.ts'
import { sweepSignIns } from './sweep.ts'

export const identityFeature: Feature = {
  name: 'identity',
  operations: [...signInOperations, ...deviceFeature.operations, ...oauthAppsFeature.operations],
  declaredRoutes: [...declaredSignInRoutes, ...deviceFeature.declaredRoutes, ...oauthAppsFeature.declaredRoutes],
  routes: (platform, gate) => (app) => {
    signInRoutes(platform, gate)(app)
    deviceFeature.routes(platform, gate)(app)
    oauthAppsFeature.routes(platform, gate)(app)
  },
  sealedColumns: [
    { table: 'users', column: 'totp_secret_sealed', teamColumn: null },
    { table: 'magic_links', column: 'code_sealed', teamColumn: null },
  ],
  jobs: (platform) => ({ [mailJob]: mailHandler(platform) }),
  crons: (platform) => [
    { name: 'sign-in.sweep', schedule: '17 * * * *', handler: () => sweepSignIns(platform) },
    ...deviceFeature.crons(platform),
    ...oauthAppsFeature.crons(platform),
  ],
}
