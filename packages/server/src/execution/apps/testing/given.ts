// Apps for tests, created through the real operations.
import type { App, AppVisibility } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { grantOfSession } from '@millrace/contract/scopes'
import type { Member } from '#platform/core/actor.ts'
import type { As, PersonName, World } from '../../../testing/world.ts'

export const freshName = (): string => `app-${newId().slice(0, 12)}`

export const echoVersion = {
  repository: 'https://bundles.example.com/echo.zip',
  kernel: 'node-22',
  functions: {
    run: { input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    count: { input_schema: { type: 'object', properties: { n: { type: 'integer' } } } },
  },
}

export const deploy = async (world: World, as: As, body: object = {}, team?: string): Promise<App> => {
  const answer = await world.call(as, 'POST /apps', {
    body: { name: freshName(), version: echoVersion, ...body },
    team,
  })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const show = async (world: World, as: As, app: App, visibility: AppVisibility): Promise<App> => {
  const answer = await world.call(as, `POST /apps/${app.id}/visibility`, { body: { visibility } })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export type GivenApps = {
  /** Of the owner, visible to the workspace. */
  shared: App
  /** Private to the member. */
  hidden: App
  /** Public, of another workspace. */
  foreign: App
  /** Private to the owner of another workspace. */
  secret: App
}

export const givenApps = async (world: World): Promise<GivenApps> => ({
  shared: await show(world, 'owner', await deploy(world, 'owner'), 'team'),
  hidden: await deploy(world, 'member'),
  foreign: await show(world, 'stranger', await deploy(world, 'stranger'), 'public'),
  secret: await deploy(world, 'stranger'),
})

/** Limits the private apps of a workspace. */
export const limitPrivateApps = async (world: World, teamId: string, limit: number): Promise<void> => {
  await world.open.platform.db
    .insertInto('entitlements')
    .values({
      id: newId(),
      team_id: teamId,
      resource: 'private_apps',
      type: 'limit',
      enabled: limit > 0,
      limit,
      source: 'override',
    })
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'resource', 'source']).doUpdateSet({ limit, enabled: limit > 0 }),
    )
    .execute()
}

/**
 * That person as an actor in the workspace under test, for direct calls of services; the owner of the platform has
 * platform access.
 */
export const actorOf = (world: World, person: PersonName): Member => ({
  kind: 'session',
  credentialId: 'test',
  userId: world.people[person].userId,
  teamId: person === 'stranger' ? world.otherTeam.id : world.team.id,
  role: person === 'admin' || person === 'member' ? person : 'owner',
  isPerson: true,
  personalTeam: false,
  orgId: null,
  orgAdmin: false,
  grant: grantOfSession(null),
  platform: person === 'platform' ? 'powered' : 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})

export const ctxAs = (world: World, person: PersonName) => world.ctx().as(actorOf(world, person))
