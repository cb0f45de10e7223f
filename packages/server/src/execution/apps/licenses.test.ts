// Guarantees: the acceptance of a license belongs to one person, and only the latest text counts.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { deploy, type GivenApps, givenApps } from './testing/given.ts'

scenarios<GivenApps>('apps.license', givenApps, [
  {
    claim: "the caller's own acceptance",
    as: 'member',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 404,
    code: 'not_found',
    check: async (_answer, { foreign }, world) => {
      const accepted = await world.call('member', `POST /apps/${foreign.id}/license`, { body: { license: 'MIT' } })
      expect((await world.call('member', `GET /apps/${foreign.id}/license`)).data).toEqual(accepted.data)
      expect((await world.call('owner', `GET /apps/${foreign.id}/license`)).status).toBe(404)
    },
  },
  {
    claim: 'an app that the caller cannot read',
    as: 'owner',
    path: ({ secret }) => ({ id: secret.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
])

scenarios(
  'apps.license',
  async (world) => {
    const app = await deploy(world, 'owner')
    await world.call('owner', `POST /apps/${app.id}/license`, { body: { license: 'MIT' } })
    return app
  },
  [
    {
      claim: 'the accepted text',
      as: 'owner',
      path: ({ id }) => ({ id }),
      status: 200,
      check: ({ data }, app, world) =>
        expect(data).toMatchObject({ app_id: app.id, user_id: world.people.owner.userId, license: 'MIT' }),
    },
  ],
)

scenarios<GivenApps>('apps.accept_license', givenApps, [
  {
    claim: 'is created, then replaced',
    as: 'member-key:apps:execute',
    path: ({ foreign }) => ({ id: foreign.id }),
    body: { license: 'first text' },
    status: 200,
    check: async ({ data }, { foreign }, world) => {
      expect(data).toMatchObject({ app_id: foreign.id, license: 'first text' })
      world.clock.advance(1000)
      const next = await world.call('member', `POST /apps/${foreign.id}/license`, { body: { license: 'second text' } })
      expect(next.data).toMatchObject({ id: data.id, license: 'second text', created_at: data.created_at })
      expect(next.data.updated_at > data.updated_at).toBe(true)
    },
  },
  {
    claim: 'an app without a license',
    as: 'owner',
    path: ({ foreign }) => ({ id: foreign.id }),
    body: {},
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id }),
    body: { license: 'x' },
    status: 404,
    code: 'not_found',
  },
])
