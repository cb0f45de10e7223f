// Rows used by tests of secrets and vaults, created through the API where possible.
import { newId } from '@millrace/contract/ids'
import type { World } from '../../../testing/world.ts'

let count = 0

/** A name that no other test uses. */
export const freshKey = (prefix = 'KEY'): string => `${prefix}_${++count}`

export const freshSlug = (): string => `maker-${++count}`

export type GivenSecret = { id: string; key: string; value: string; credentialId: string | undefined }

export const givenSecret = async (world: World, body: Record<string, unknown> = {}): Promise<GivenSecret> => {
  const key = freshKey()
  const value = `value-of-${key}-0123456789abcd`
  const answer = await world.call('owner', 'POST /secrets', { body: { key, value, ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  const { id, credential_id } = answer.data
  return { id, key: answer.data.key, value: String(body.value ?? value), credentialId: credential_id }
}

export const credentialRow = (world: World, id: string | undefined) =>
  world.open.platform.db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', id ?? '')
    .executeTakeFirst()

/** Inserts a credential directly. */
export const givenCredential = async (
  world: World,
  values: { teamId?: string; userId?: string; scope?: 'user' | 'team' | 'org' | 'platform' } = {},
): Promise<string> => {
  const id = newId()
  await world.open.platform.db
    .insertInto('credentials')
    .values({
      id,
      team_id: values.teamId ?? world.team.id,
      user_id: values.userId ?? world.people.owner.userId,
      provider: freshSlug(),
      type: 'oauth',
      scope: values.scope ?? 'team',
      status: 'connected',
      display_name: 'Maker',
      scopes: ['read'],
    })
    .execute()
  return id
}

export type GivenOrganization = { orgId: string; orgTeamId: string; memberTeamId: string }

/**
 * An organization with its own workspace and an attached one. The owner administers both; the admin is an organization
 * admin as well.
 */
export const givenOrganization = async (world: World): Promise<GivenOrganization> => {
  const { db } = world.open.platform
  const orgId = newId()
  await db.insertInto('organizations').values({ id: orgId, name: 'Guild' }).execute()
  const team = async (type: 'org' | 'team') => {
    const id = newId()
    await db
      .insertInto('teams')
      .values({ id, type, name: type, username: `guild-${++count}`, org_id: orgId, setup_completed: true })
      .execute()
    for (const [person, role] of [
      ['owner', 'owner'],
      ['admin', 'admin'],
      ['platform', 'member'],
    ] as const)
      await db
        .insertInto('team_members')
        .values({ id: newId(), team_id: id, user_id: world.people[person].userId, role })
        .execute()
    return id
  }
  const [orgTeamId, memberTeamId] = [await team('org'), await team('team')]
  await db.insertInto('org_admins').values({ org_id: orgId, user_id: world.people.admin.userId }).execute()
  return { orgId, orgTeamId, memberTeamId }
}

export const platformTeamId = async (world: World): Promise<string> => {
  const { db } = world.open.platform
  const { id } = await db.selectFrom('teams').select('id').where('is_platform', '=', true).executeTakeFirstOrThrow()
  return id
}
