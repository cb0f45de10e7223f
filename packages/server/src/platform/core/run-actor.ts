// Who speaks when a run does something later: the person or account it belongs to, held to what was recorded at its
// start. A run never has more than a plain member's role and never platform power.
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
  // Written by `runAs`, which makes nothing else.
  grant: run.run_as as Grant,
  platform: 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})
