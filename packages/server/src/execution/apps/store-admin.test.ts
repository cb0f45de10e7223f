// Guarantees: only platform staff manages the store, and its changes apply immediately.
import type { App } from '@millrace/contract/apps'
import { expect } from 'vitest'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { deploy, freshName, show } from './testing/given.ts'

const nobody = '00000000000000000000000000'

const published = async (world: World): Promise<App> =>
  show(world, 'owner', await deploy(world, 'owner', { description: 'Shown' }), 'public')

const path = (app: App) => ({ appId: app.id })

const staffOnly = (values: object): Scenario<App>[] => [
  { claim: 'the owner of the app', as: 'owner', ...values, status: 403, code: 'forbidden' },
  { claim: 'a key', as: 'key:', ...values, status: 403, code: 'requires_sign_in' },
  { claim: 'no credential', as: null, ...values, status: 401, code: 'unauthorized' },
]

scenarios('store.set_listing', published, [
  {
    claim: 'changes only the given fields and answers with the listing',
    as: 'platform',
    path,
    body: { is_featured: true, rank: 9, subcategory: 'prose' },
    status: 200,
    audits: ['app.listing_changed'],
    check: async ({ data }, app, world) => {
      expect(data).toMatchObject({ id: app.id, is_featured: true, rank: 9, subcategory: 'prose', category: 'other' })
      const again = await world.call('platform', `POST /store/apps/${app.id}`, { body: { delisted: true } })
      expect(again.data).toMatchObject({ is_featured: true, rank: 9 })
      const { data: list } = await world.call(null, 'POST /store/apps/list', { body: { limit: -1 } })
      expect(list.items.map((item: App) => item.id)).not.toContain(app.id)
    },
  },
  {
    claim: 'an empty change has no effect',
    as: 'platform',
    path,
    body: {},
    status: 200,
    check: ({ data }, app) => expect(data).toMatchObject({ id: app.id, is_featured: false, rank: 0 }),
  },
  { claim: 'no rank', as: 'platform', path, body: { rank: 'first' }, status: 400, code: 'validation_error' },
  { claim: 'an unknown app', as: 'platform', path: { appId: nobody }, body: {}, status: 404, code: 'not_found' },
  { claim: 'a long id', as: 'platform', path: { appId: 'x'.repeat(65) }, body: {}, status: 404, code: 'not_found' },
  ...staffOnly({ path, body: { rank: 1 } }),
])

scenarios('store.submit', published, [
  {
    claim: 'records the active version',
    as: 'platform',
    path,
    status: 200,
    audits: ['app.submitted'],
    check: async ({ data }, app, world) => {
      expect(data).toMatchObject({ id: app.id, has_approved_version: true })
      const one = await world.call('platform', `POST /store/apps/${app.id}/submit`, {
        body: { version_id: app.version_id },
      })
      expect(one.status).toBe(200)
    },
  },
  { claim: 'not a version id', as: 'platform', path, body: { version_id: 5 }, status: 400, code: 'validation_error' },
  { claim: 'another workspace', as: 'stranger', path, status: 403, code: 'insufficient_scope' },
  { claim: 'an unknown version', as: 'platform', path, body: { version_id: nobody }, status: 404, code: 'not_found' },
  { claim: 'an unknown app', as: 'platform', path: { appId: nobody }, status: 404, code: 'not_found' },
  { claim: 'outside the platform’s workspace', as: 'owner', path, status: 403, code: 'insufficient_scope' },
  { claim: 'a key', as: 'key:', path, status: 403, code: 'insufficient_scope' },
])

const refPath = { namespace: 'old', name: 'name' }

scenarios('ref_routes.set', published, [
  {
    claim: 'an alias to an app and one of its functions',
    as: 'platform',
    act: (world, app) => {
      const body = { app_id: app.id, function: 'run' }
      return world.call('platform', 'PUT /ref-routes/old/name', { body })
    },
    status: 200,
    audits: ['app_alias.set'],
    check: async ({ data }, app, world) => {
      expect(data).toEqual({ namespace: 'old', name: 'name', app_id: app.id, function: 'run' })
      const { data: site } = await world.call(null, 'GET /ref-routes/site')
      expect(site.redirects['/apps/old/name']).toBe(`/apps/mill/${app.name}?function=run`)
    },
  },
  { claim: 'a page', as: 'platform', path: refPath, body: { url: '/docs' }, status: 200, audits: ['app_alias.set'] },
  {
    claim: 'the ref of an app',
    as: 'platform',
    act: async (world, app) => world.call('platform', `PUT /ref-routes/mill/${app.name}`, { body: { url: '/x' } }),
    status: 409,
    code: 'name_conflict',
  },
  { claim: 'neither', as: 'platform', path: refPath, body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'both',
    as: 'platform',
    path: refPath,
    body: { url: '/x', app_id: 'y' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown app', as: 'platform', path: refPath, body: { app_id: nobody }, status: 404, code: 'not_found' },
  ...staffOnly({ path: refPath, body: { url: '/docs' } }),
])

scenarios(
  'ref_routes.remove',
  async (world) => {
    const name = freshName()
    await world.call('platform', `PUT /ref-routes/old/${name}`, { body: { url: '/docs' } })
    return { name } as App
  },
  [
    {
      claim: 'the alias is deleted',
      as: 'platform',
      path: ({ name }) => ({ namespace: 'old', name }),
      status: 200,
      audits: ['app_alias.removed'],
      check: ({ data }) => expect(data).toEqual({ success: true }),
    },
    {
      claim: 'an unknown alias',
      as: 'platform',
      path: { namespace: 'old', name: 'nothing-here' },
      status: 404,
      code: 'not_found',
    },
    ...staffOnly({ path: { namespace: 'old', name: 'x' } }),
  ],
)
