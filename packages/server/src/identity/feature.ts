// Identity: people, workspaces, memberships, and the ways to sign in.
import type { Feature } from '../core/feature.ts'
import { deviceFeature } from './device/feature.ts'

export const identityFeature: Feature = {
  name: 'identity',
  operations: [...deviceFeature.operations],
  routes: (platform, gate) => (app) => {
    deviceFeature.routes(platform, gate)(app)
  },
  crons: (platform) => [...deviceFeature.crons(platform)],
}
