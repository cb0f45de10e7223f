// Guarantees: everyone sees all public apps in the store except retired and delisted ones; aliases resolve to their
// targets.
import type { App } from '@millrace/contract/apps'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { removeAlias, setAlias, setListing } from './service.ts'
import { ctxAs, deploy, echoVersion, freshName, show } from './testing/given.ts'

const publish = async (world: World, body: object = {}): Promise<App> =>
  show(world, 'owner', await deploy(world, 'owner', body), 'public')

const emptied = async (world: World): Promise<void> => {
  const { db } = world.open.platform
  for (const table of ['app_aliases', 'app_versions', 'apps'] as const) await db.deleteFrom(table).execute()
}

scenarios(
  'store.tags',
  async (world) => {
    await emptied(world)
    for (const tags of [['image-editing', 'b'], ['image-editing', 'b'], ['image-editing', 'b', 'c'], ['image-editing']])
      await publish(world, { tags })
    for (let count = 0; count < 3; count += 1) await deploy(world, 'owner', { tags: ['hidden'] })
    const retired = await publish(world, { tags: ['c'] })
    await world.call('owner', `POST /apps/${retired.id}/status`, { body: { status: 'retired' } })
    await publish(world, { tags: ['c'] })
  },
  [
    {
      claim: 'lists tags of at least three public apps, the most frequent first',
      as: null,
      status: 200,
      check: ({ data }) =>
        expect(data).toEqual([
          { slug: 'image-editing', title: 'Image Editing', count: 4 },
          { slug: 'b', title: 'B', count: 3 },
        ]),
    },
  ],
)

scenarios(
  'store.apps',
  async (world) => {
    await emptied(world)
    const open = await publish(world, { title: 'Open', description: 'Shown', category: 'image', tags: ['one'] })
    const ranked = await publish(world, { category: 'text' })
    await setListing(ctxAs(world, 'platform'), ranked.id, { rank: 5, is_featured: true, subcategory: 'prose' })
    const hidden = await deploy(world, 'owner')
    const retired = await publish(world)
    await world.call('owner', `POST /apps/${retired.id}/status`, { body: { status: 'retired' } })
    const delisted = await publish(world)
    await setListing(ctxAs(world, 'platform'), delisted.id, { delisted: true })
    return { open, ranked, hidden }
  },
  [
    {
      claim: 'lists public apps by rank, without retired and delisted ones',
      as: null,
      status: 200,
      check: ({ data }, { open, ranked }) => {
        expect(data.items).toEqual([
          expect.objectContaining({
            id: ranked.id,
            rank: 5,
            is_featured: true,
            subcategory: 'prose',
            category: 'text',
          }),
          {
            id: open.id,
            category: 'image',
            tags: ['one'],
            namespace: 'mill',
            name: open.name,
            title: 'Open',
            description: 'Shown',
            images: { card: '', thumbnail: '', banner: '' },
            is_featured: false,
            rank: 0,
            has_approved_version: false,
          },
        ])
        expect(data.total_items).toBe(2)
      },
    },
    {
      claim: 'filters',
      as: null,
      status: 200,
      check: async (_answer, { open, ranked }, world) => {
        const find = async (field: string, value: unknown) =>
          (await world.call(null, 'POST /store/apps/list', { body: { filters: [{ field, value }] } })).data.items.map(
            (item: App) => item.id,
          )
        expect(await find('category', 'image')).toEqual([open.id])
        expect(await find('subcategory', 'prose')).toEqual([ranked.id])
        expect(await find('is_featured', true)).toEqual([ranked.id])
        expect(await find('tag', 'one')).toEqual([open.id])
      },
    },
    {
      claim: 'the category is that of the app',
      as: null,
      status: 200,
      check: async (_answer, { open }, world) => {
        await world.call('owner', `PATCH /apps/${open.id}`, { body: { category: 'video' } })
        const { data } = await world.call(null, 'GET /store/apps')
        expect(data.items.find((item: App) => item.id === open.id).category).toBe('video')
      },
    },
    {
      claim: 'pages',
      as: null,
      query: { limit: '1' },
      status: 200,
      check: async ({ data }, { open, ranked }, world) => {
        const next = await world.call(null, 'GET /store/apps', { query: { limit: '1', cursor: data.next_cursor } })
        expect([data.items[0].id, next.data.items[0].id]).toEqual([ranked.id, open.id])
      },
    },
    {
      claim: 'an unknown column',
      as: null,
      query: { filters: '[{"field":"team_id","value":"x"}]' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a search without a term', as: null, query: { search: '{}' }, status: 400, code: 'validation_error' },
    { claim: 'a broken cursor', as: null, query: { cursor: 'x' }, status: 400, code: 'invalid_request' },
  ],
)

scenarios(
  'ref_routes.site',
  async (world) => {
    await emptied(world)
    const open = await publish(world)
    const hidden = await deploy(world, 'owner')
    const gone = await publish(world)
    const ctx = ctxAs(world, 'platform')
    await setAlias(ctx, { namespace: 'old', name: 'plain', target: { appId: open.id } })
    await setAlias(ctx, { namespace: 'old', name: 'pinned', target: { appId: open.short_id, function: 'count' } })
    await setAlias(ctx, { namespace: 'old', name: 'page', target: { url: 'https://example.com/docs' } })
    await setAlias(ctx, { namespace: 'old', name: 'hidden', target: { appId: hidden.id } })
    await setAlias(ctx, { namespace: 'old', name: 'gone', target: { appId: gone.id } })
    await world.call('owner', `DELETE /apps/${gone.id}`)
    return open
  },
  [
    {
      claim: 'lists the aliases of public apps',
      as: null,
      status: 200,
      check: ({ data }, open) =>
        expect(data.redirects).toEqual({
          '/apps/old/plain': `/apps/mill/${open.name}`,
          '/apps/old/pinned': `/apps/mill/${open.name}?function=count`,
          '/apps/old/page': 'https://example.com/docs',
        }),
    },
  ],
)

describe('aliases', () => {
  let world: World
  let app: App
  beforeAll(async () => {
    world = await createWorld()
    app = await publish(world)
    const ctx = ctxAs(world, 'platform')
    await setAlias(ctx, { namespace: 'old', name: 'name', target: { appId: app.id, function: 'count' } })
    await setAlias(ctx, { namespace: 'old', name: 'page', target: { url: '/docs' } })
  })
  afterAll(() => world?.close())

  it('resolve to their app and pin a function', async () => {
    const { data } = await world.call(null, 'GET /apps/old/name')
    expect(data).toMatchObject({ id: app.id, namespace: 'mill', resolved_function: 'count' })
  })

  it('a function in the ref precedes the pinned one', async () => {
    expect((await world.call(null, 'GET /apps/old/name:run')).data.resolved_function).toBe('run')
    expect((await world.call(null, `GET /apps/old/name@${app.version_id}`)).data.resolved_function).toBe('count')
  })

  it('an alias to a page resolves to no app', async () =>
    expect((await world.call(null, 'GET /apps/old/page')).status).toBe(404))

  it('are replaced by setting them again, and can be deleted', async () => {
    const ctx = ctxAs(world, 'platform')
    const other = await publish(world)
    await setAlias(ctx, { namespace: 'old', name: 'moving', target: { url: '/docs' } })
    await setAlias(ctx, { namespace: 'old', name: 'moving', target: { appId: other.id } })
    expect((await world.call(null, 'GET /apps/old/moving')).data).toMatchObject({ id: other.id, resolved_function: '' })
    await removeAlias(ctx, 'old', 'moving')
    expect((await world.call(null, 'GET /apps/old/moving')).status).toBe(404)
    await expect(removeAlias(ctx, 'old', 'moving')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('do not reveal apps that the caller may not see', async () => {
    const hidden = await deploy(world, 'owner')
    await setAlias(ctxAs(world, 'platform'), { namespace: 'old', name: 'secret', target: { appId: hidden.id } })
    expect((await world.call(null, 'GET /apps/old/secret')).status).toBe(404)
    expect((await world.call('owner', 'GET /apps/old/secret')).status).toBe(200)
  })

  it.each([
    ['a live app', { namespace: 'mill', name: 'taken', target: { url: '/x' } }, 'name_conflict'],
    ['no ref', { namespace: 'Old', name: 'x', target: { url: '/x' } }, 'validation_error'],
    ['no target', { namespace: 'old', name: 'x', target: { appId: 'nothing' } }, 'not_found'],
    ['a script', { namespace: 'old', name: 'x', target: { url: 'javascript:alert(1)' } }, 'validation_error'],
    [
      'a disguised address of another host',
      { namespace: 'old', name: 'x', target: { url: '//example.com' } },
      'validation_error',
    ],
  ] as const)('are refused for %s', async (_claim, alias, code) => {
    await deploy(world, 'owner', { name: 'taken' })
    await expect(setAlias(ctxAs(world, 'platform'), alias)).rejects.toMatchObject({ code })
  })

  it('an app precedes an alias with the same ref', async () => {
    const name = freshName()
    await setAlias(ctxAs(world, 'platform'), { namespace: 'mill', name, target: { appId: app.id } })
    const own = await deploy(world, 'owner', { name, version: echoVersion })
    expect((await world.call('owner', `GET /apps/mill/${name}`)).data.id).toBe(own.id)
  })
})
