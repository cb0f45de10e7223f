// `millrace admin sign-in`, `grant-platform` and `keys`: accounts and their credentials.
import { createKey as createKeyFor, forgetCredentials } from '#accounts/access/service.ts'
import {
  findMembership,
  findTeamByUsername,
  findUserByEmail,
  setUserRole,
} from '#accounts/identity/accounts/accounts-store.ts'
import { addMember, createSession, createTeam, ensureAccount, issueSignInLink } from '#accounts/identity/service.ts'
import { shippedAppsAreThere } from '#execution/apps/service.ts'
import type { Member, TeamRole } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import { isServed } from '#platform/jobs/runner-lock.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { operatorCtx, teamNamed } from './acting.ts'
import { type OperatorCommand, optional, required, UsageError } from './command.ts'
import { getTeamRef } from './store.ts'

/** Sufficient on a busy machine; without a running server the command does not wait. */
const shippedAppsLimitMs = 60_000

const teamRole = (text: string | undefined): TeamRole => {
  if (text === undefined) return 'member'
  if (text === 'owner' || text === 'admin' || text === 'member') return text
  throw new UsageError('--role must be owner, admin or member')
}

export const signIn: OperatorCommand = {
  usage: 'sign-in --email a@b.c [--team NAME] [--role owner|admin|member]',
  summary: 'Create the account if missing and print a session token and a sign-in link',
  run: async (open, words) => {
    const email = required(words, 'email')
    const teamName = optional(words, 'team')
    const role = teamRole(optional(words, 'role'))
    const { isFirst, ...answer } = await operatorCtx(open).tx(async (ctx) => {
      const { user, isNew } = await ensureAccount(ctx, email)
      const team = await teamFor(ctx, user.id, user.default_team_id ?? '', teamName, role)
      const session = await createSession(ctx, {
        userId: user.id,
        kind: 'token',
        authMethod: 'operator',
        teamId: team.id,
        elevated: user.role === 'admin',
      })
      const sign_in_url = await issueSignInLink(ctx, user.email ?? email, team.id)
      return {
        isFirst: isNew && user.role === 'admin',
        user_id: user.id,
        team_id: team.id,
        namespace: team.username,
        session_token: session.secret,
        sign_in_url,
      }
    })
    // With the first account, a running server deploys the shipped apps; the user's next command may need them.
    if (isFirst && (await isServed(open.platform.db))) await shippedAppsAreThere(open.platform.db, shippedAppsLimitMs)
    const text = `Signed in ${email} to ${answer.namespace}\n\n  Session token  ${answer.session_token}\n  Sign-in link   ${answer.sign_in_url}`
    return { text, json: answer }
  },
}

const teamFor = async (
  ctx: Ctx<Member>,
  userId: string,
  personalTeamId: string,
  name: string | undefined,
  role: TeamRole,
) => {
  if (name === undefined) return getTeamRef(ctx.db, personalTeamId)
  const known = await findTeamByUsername(ctx.db, name)
  if (!known) return createTeam(ctx, userId, { name, username: name })
  if ((await roleIn(ctx.db, known.id, userId)) === undefined) {
    await addMember(ctx, known.id, userId, role)
    await forgetCredentials(ctx, userId)
  }
  return known
}

const roleIn = async (db: Db, teamId: string, userId: string): Promise<TeamRole | undefined> => {
  const membership = await findMembership(db, teamId, userId)
  return membership && teamRole(membership.role)
}

export const grantPlatform: OperatorCommand = {
  usage: 'grant-platform --email a@b.c',
  summary: 'Make an existing account a platform administrator',
  run: async (open, words) => {
    const email = required(words, 'email').trim().toLowerCase()
    const user = await findUserByEmail(open.platform.db, email)
    if (!user) throw new UsageError(`Account ${email} not found`)
    await operatorCtx(open).tx(async (ctx) => {
      await setUserRole(ctx.db, user.id, 'admin')
      await recordAudit(ctx, 'user.platform_granted', { resourceType: 'user', resourceId: user.id })
      await forgetCredentials(ctx, user.id)
    })
    return { text: `${email} is a platform administrator`, json: { user_id: user.id, role: 'admin' } }
  },
}

export const createKey: OperatorCommand = {
  usage: 'keys create --email a@b.c --team NAME [--name TEXT] [--scopes a:read,b:write] [--expires-in SECONDS]',
  summary: 'Create an API key for an account in a workspace and print it once',
  run: async (open, words) => {
    if (words.positionals[0] !== 'create') throw new UsageError('keys: the only subcommand is create')
    const email = required(words, 'email').trim().toLowerCase()
    const team = await teamNamed(open, required(words, 'team'))
    const user = await findUserByEmail(open.platform.db, email)
    if (!user) throw new UsageError(`Account ${email} not found`)
    const role = await roleIn(open.platform.db, team.id, user.id)
    if (role === undefined) throw new UsageError(`${email} is not a member of ${team.username}`)
    const seconds = optional(words, 'expires-in')
    if (seconds !== undefined && !/^[1-9]\d{0,9}$/.test(seconds))
      throw new UsageError('--expires-in must be a number of seconds')
    // The same rules apply as for a key that the account creates itself.
    const ctx = operatorCtx(open, team.id, {
      userId: user.id,
      role,
      isPerson: true,
      personalTeam: team.type === 'personal',
      platform: 'not_staff',
      inPlatformTeam: team.is_platform,
    })
    const made = await createKeyFor(ctx, {
      name: optional(words, 'name') ?? 'operator',
      scopes: optional(words, 'scopes')?.split(',') ?? [],
      ...(seconds === undefined
        ? {}
        : { expires_at: new Date(ctx.now().getTime() + Number(seconds) * 1000).toISOString() }),
    })
    return { text: made.key, json: { id: made.id, team_id: team.id, key: made.key } }
  },
}
