// Teams: workspaces, their members and invites, organizations, and the caller's profile.
import type { Feature } from '#platform/core/feature.ts'
import { inviteOperations } from './invite-operations.ts'
import { declaredInviteRoutes, inviteRoutes } from './invite-routes.ts'
import { teamOperations } from './operations.ts'
import { organizationOperations } from './organization-operations.ts'
import { seatUsage } from './seats.ts'

export const teamsFeature: Feature = {
  name: 'teams',
  operations: [...teamOperations, ...inviteOperations, ...organizationOperations],
  declaredRoutes: declaredInviteRoutes,
  routes: inviteRoutes,
  usage: seatUsage,
}
