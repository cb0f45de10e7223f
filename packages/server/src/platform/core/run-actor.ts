// The actor of a run: its owner, limited to the grant recorded at its start. A run never has more than the member role
// and never platform administration.
import type { Grant } from '@millrace/contract/scopes'
import type { Member } from './actor.ts'

export type RunOwner = { id: string; team_id: string; user_id: string; run_as: unknown }

export const runActor = (run: RunOwner): Member => ({
  kind: 'run',
  credentialId: run.id,
  userId: run.user_id,
  teamId: run.team_id,
  role: 'member',
  isPerson: false,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  // Only `runAs` writes this column.
  grant: run.run_as as Grant,
  platform: 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})
