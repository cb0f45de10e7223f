// Guarantees: the platform's rows follow the catalog at every start, except rows that an operator has changed.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { listedProviders } from '../provider-catalogue/service.ts'
import { seedProviders } from './seed.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const rows = () =>
  world.open.platform.db
    .selectFrom('auth_providers')
    .selectAll()
    .where('scope', '=', 'platform')
    .where('deleted_at', 'is', null)
    .orderBy('slug')
    .execute()

const rowOf = async (slug: string) => (await rows()).find((row) => row.slug === slug)

it('are as in the catalogue, and starting again changes nothing', async () => {
  const before = await rows()
  expect(before).toHaveLength(listedProviders.length)
  for (const { slug, specs, website, display_name } of listedProviders)
    expect(before.find((row) => row.slug === slug)).toMatchObject({ specs, website, display_name, provider: slug })
  world.clock.advance(60_000)
  await seedProviders(world.open.platform)
  expect(await rows()).toEqual(before)
  const companies = await world.open.platform.db.selectFrom('companies').select('slug').execute()
  expect(companies).toHaveLength(listedProviders.length)
})

it('a row that fell behind the catalogue is brought up to it', async () => {
  await world.open.platform.db
    .updateTable('auth_providers')
    .set({ specs: '[]', description: 'old' })
    .where('slug', '=', 'github')
    .execute()
  await seedProviders(world.open.platform)
  const listed = listedProviders.find(({ slug }) => slug === 'github')
  expect(await rowOf('github')).toMatchObject({ specs: listed?.specs, description: listed?.description })
})

it('what an operator edited stays edited', async () => {
  const github = await rowOf('gitlab')
  const edited = await world.call('platform', `PUT /auth-providers/${github?.id}`, { body: { description: 'Ours' } })
  expect(edited.status, edited.text).toBe(200)
  await seedProviders(world.open.platform)
  expect(await rowOf('gitlab')).toMatchObject({ description: 'Ours' })
})

it('what an operator deleted stays deleted, and may be made anew', async () => {
  const slack = await rowOf('slack')
  expect((await world.call('platform', `DELETE /auth-providers/${slack?.id}`)).data).toEqual({ deleted: true })
  await seedProviders(world.open.platform)
  expect(await rowOf('slack')).toBeUndefined()
  const body = { slug: 'slack', display_name: 'Our Slack', scope: 'platform', specs: [{ kind: 'api_key' }] }
  expect((await world.call('platform', 'POST /auth-providers', { body })).status).toBe(200)
  await seedProviders(world.open.platform)
  expect(await rowOf('slack')).toMatchObject({ display_name: 'Our Slack', seeded: false })
})
