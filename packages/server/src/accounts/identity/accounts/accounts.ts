// The only code that creates accounts: a person, their personal workspace and, for the first person, the platform's
// workspace and platform ownership.

import { newId } from '@millrace/contract/ids'
import type { CreateTeam } from '@millrace/contract/teams'
import type { Actor, TeamRole } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { aloneWith } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { isNamespaceOfOthers } from '#platform/tenancy/namespaces.ts'
import * as store from './accounts-store.ts'
import { isValidEmail, mailboxKey, normaliseEmail } from './email.ts'
import { generateUsername, platformUsername, usernameProblem } from './usernames.ts'

export type Account = Awaited<ReturnType<typeof store.insertUser>>
export type Team = NonNullable<Awaited<ReturnType<typeof store.findTeam>>>

/** The installation's own workspace with its owner; undefined until the first account exists. */
export const platformTeam = (db: Db) => store.findPlatformTeam(db)

export const findAccount = (ctx: Ctx, userId: string): Promise<Account | undefined> => store.findUser(ctx.db, userId)

/** Finds or creates the account of an address. The caller must check the email rules for new accounts first. */
export const ensureAccount = (ctx: Ctx<Actor>, typed: string): Promise<{ user: Account; isNew: boolean }> =>
  ctx.tx(async (ctx) => {
    const email = normaliseEmail(typed)
    if (!isValidEmail(email)) throw fail('invalid_email', 'This is not an email address')
    // Serializes sign-ups of one address, and the race to be the first account.
    await aloneWith(ctx.db, `account ${email}`)
    const known = await store.findUserByEmail(ctx.db, email)
    if (known) return { user: known, isNew: false }
    await aloneWith(ctx.db, 'first account')
    const isFirst = !(await store.anyPersonExists(ctx.db))
    const user = await store.insertUser(ctx.db, {
      id: newId(),
      email,
      mailbox: mailboxKey(email),
      name: email.split('@')[0] ?? email,
      role: isFirst ? 'admin' : 'user',
    })
    const personal = await createPersonalTeam(ctx, user)
    await store.setDefaultTeam(ctx.db, user.id, personal.id)
    if (isFirst) await createPlatformTeam(ctx, user.id)
    await recordAudit(ctx, 'user.created', { resourceType: 'user', resourceId: user.id, teamId: personal.id })
    return { user: { ...user, default_team_id: personal.id }, isNew: true }
  })

const createPersonalTeam = async (ctx: Ctx<Actor>, user: Account): Promise<Team> => {
  for (;;) {
    const team = await store.insertTeam(ctx.db, {
      id: newId(),
      type: 'personal',
      name: user.name,
      username: generateUsername(),
      email: user.email ?? '',
    })
    if (!team) continue
    await store.upsertMember(ctx.db, { id: newId(), team_id: team.id, user_id: user.id, role: 'owner' })
    return team
  }
}

const createPlatformTeam = async (ctx: Ctx<Actor>, ownerId: string): Promise<void> => {
  const team = await store.insertTeam(ctx.db, {
    id: newId(),
    type: 'system',
    name: 'Millrace',
    username: platformUsername,
    setup_completed: true,
    is_platform: true,
  })
  if (team) await store.upsertMember(ctx.db, { id: newId(), team_id: team.id, user_id: ownerId, role: 'owner' })
}

export const createTeam = (
  ctx: Ctx<Actor>,
  ownerId: string,
  values: Pick<CreateTeam, 'name' | 'username' | 'email' | 'default_visibility'>,
): Promise<Team> =>
  ctx.tx(async (ctx) => {
    const problem = usernameProblem(values.username)
    if (problem === 'invalid')
      throw fail(
        'validation_error',
        '`username` must be lower-case letters, digits and single hyphens, at most 64 characters',
      )
    if (problem === 'reserved') throw fail('conflict', `The username ${values.username} is reserved`)
    const taken = () => fail('conflict', `The username ${values.username} is taken`)
    if (await isNamespaceOfOthers(ctx.db, values.username, '')) throw taken()
    const team = await store.insertTeam(ctx.db, {
      id: newId(),
      type: 'team',
      name: values.name,
      username: values.username,
      email: values.email ?? '',
      setup_completed: true,
      default_visibility: values.default_visibility ?? 'private',
    })
    if (!team) throw taken()
    await store.upsertMember(ctx.db, { id: newId(), team_id: team.id, user_id: ownerId, role: 'owner' })
    await recordAudit(ctx, 'team.created', { resourceType: 'team', resourceId: team.id, teamId: team.id })
    return team
  })

export const addMember = (ctx: Ctx<Actor>, teamId: string, userId: string, role: TeamRole) =>
  store.upsertMember(ctx.db, { id: newId(), team_id: teamId, user_id: userId, role })
