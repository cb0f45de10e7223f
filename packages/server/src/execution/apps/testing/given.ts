// Apps for tests to speak about, made through the real doors.
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
  /** Of the owner, seen by the workspace. */
  shared: App
  /** Of the member alone. */
  hidden: App
  /** Of another workspace, for everyone. */
  foreign: App
  /** Of another workspace's owner alone. */
  secret: App
}

export const givenApps = async (world: World): Promise<GivenApps> => ({
  shared: await show(world, 'owner', await deploy(world, 'owner'), 'team'),
  hidden: await deploy(world, 'member'),
  foreign: await show(world, 'stranger', await deploy(world, 'stranger'), 'public'),
  secret: await deploy(world, 'stranger'),
})

/** Puts a limit on the workspace under test. */
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

/** That person in the workspace under test, for calling services directly; the platform's owner has its power. */
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
