// The actor and the workspace of operator commands.

import { findTeamByUsername } from '#accounts/identity/accounts/accounts-store.ts'
import type { Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx } from '#platform/core/ctx.ts'
import type { OpenPlatform } from '../platform.ts'
import { UsageError } from './command.ts'

/** The operator acts from outside and is audited as such, without a workspace of its own. */
export const operatorCtx = (open: OpenPlatform, teamId = '', onBehalf: Partial<Member> = {}): Ctx<Member> =>
  createCtx(open.platform, {
    kind: 'operator',
    credentialId: 'cli',
    userId: '',
    teamId,
    role: 'owner',
    isPerson: false,
    personalTeam: false,
    orgId: null,
    orgAdmin: false,
    grant: { kind: 'everything' },
    platform: 'powered',
    inPlatformTeam: false,
    expiresAtMs: null,
    ...onBehalf,
  })

export const teamNamed = async (open: OpenPlatform, username: string) => {
  const team = await findTeamByUsername(open.platform.db, username)
  if (!team) throw new UsageError(`Workspace ${username} not found`)
  return team
}
